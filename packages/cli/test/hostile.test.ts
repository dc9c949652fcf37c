import { createClient, createProcessors, createWorker, defineJobTypes, FatalError } from "chainwright";
import { describe, expect, it } from "vitest";
import { escapeText, toJson } from "../src/text/escape.ts";
import { cutTo, widthOf } from "../src/text/width.ts";
import { cli } from "./cli.ts";
import { stores } from "./stores.ts";

const escapeSequence = "\u001b[2J\u001b]0;title\u0007\u009b31m";
const hostile = `${escapeSequence}\r\n\tgone \u202egnp.exe ${"\u0300".repeat(50)} 日本語 👩‍👩‍👧`;
const long = "x".repeat(1_048_576);
const jobTypes = defineJobTypes<{ poison: { entry: true; input: { text: string }; output: null } }>();

/** What a terminal would obey. */
const obeyed = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Cc}/u;

describe.each(stores)("a hostile store on $name", ({ make, isMissing }) => {
  it.skipIf(isMissing)("cannot reach the terminal, and each row stays one row", async () => {
    const store = await make();
    await store.stateAdapter.migrate();
    const client = createClient({ stateAdapter: store.stateAdapter, jobTypes, observers: [] });
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        poison: async ({ job }) => {
          throw new FatalError(job.input.text);
        },
      },
    });
    const worker = createWorker({ client, processors: [processors], name: `w${hostile}`, pollIntervalMs: 50 });
    await worker.start();
    for (const text of [hostile, long]) {
      const chain = await client.startChain({
        typeName: "poison",
        input: { text: text.slice(0, 500_000) },
        tags: { t: hostile.slice(0, 100) },
      });
      await client.awaitChain(chain).catch(() => undefined);
    }
    const commands = [
      { args: ["chains", "list", "--payloads"], rows: 2 },
      { args: ["jobs", "list"], rows: 2 },
      { args: ["workers"], rows: 1 },
      { args: ["types"], rows: 1 },
    ];
    for (const { args, rows } of commands) {
      const linesAt = async (columns: number | undefined): Promise<readonly string[]> =>
        (await cli(["--store", store.url, ...args], { columns, env: { NO_COLOR: "1" } })).lines;
      expect(await linesAt(undefined), args.join(" ")).toHaveLength(rows);
      const narrow = await linesAt(80);
      expect(narrow.filter((line) => widthOf(line) > 80)).toEqual([]);
      const all = [...(await linesAt(undefined)), ...(await linesAt(20)), ...narrow];
      expect(all.filter((line) => obeyed.test(line.replaceAll("\t", "")))).toEqual([]);
    }
    const json = await cli(["--store", store.url, "--json", "chains", "list", "--payloads"]);
    expect(json.lines).toHaveLength(2);
    for (const line of json.lines) expect(line).not.toMatch(obeyed);
    expect(JSON.parse(json.lines[1] ?? "")).toMatchObject({
      input: { text: hostile },
      tags: { t: hostile.slice(0, 100) },
    });
    await worker.stop();
    await client.close();
    await store.close();
  });
});

describe("texts", () => {
  it("are escaped in one line", () => {
    expect(escapeText("a\n\u001b[1m\u202e\ud800")).toBe("a\\n\\u001b[1m\\u202e\\ud800");
    expect(JSON.parse(toJson({ a: hostile }))).toEqual({ a: hostile });
  });

  it("are cut at whole characters of their width", () => {
    expect(cutTo("日本語", 5)).toBe("日本…");
    expect(cutTo("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
    expect(cutTo("short", 5)).toBe("short");
    expect(widthOf(cutTo(long, 30))).toBe(30);
  });
});
