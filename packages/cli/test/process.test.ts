import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, defineJobTypes } from "chainwright";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "chainwright-process-"));
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
const program = [process.execPath, ...flags, main].map((word) => `'${word}'`).join(" ");
const many = 3_000;
const children: ChildProcess[] = [];

/** Runs a command of a shell; `$CW` is the program. */
function shell(command: string, input = "") {
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: { ...process.env, CW: program, CHAINWRIGHT_STORE: `sqlite:${join(folder, "jobs.db")}` },
  });
  children.push(child);
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => err.push(text));
  child.stdin.end(input);
  const ended = once(child, "close").then(([code]: unknown[]) => ({ code, out: out.join(""), err: err.join("") }));
  return { child, out, err, ended };
}

beforeAll(async () => {
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(join(folder, "jobs.db")) });
  await stateAdapter.migrate();
  const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();
  const client = createClient({ stateAdapter, jobTypes });
  const items = Array.from({ length: many }, (_each, place) => ({
    typeName: "mail.send" as const,
    input: { to: `${place}` },
  }));
  await client.startChains({ items });
  await client.close();
  await stateAdapter.close();
});
afterAll(() => {
  // After a test that failed in the middle; those that have ended take no signal.
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

describe("the program in a process of its own", () => {
  it("ends quietly with 0 when the reader of its pipe has enough", async () => {
    const { ended } = shell(`set -o pipefail; eval "$CW chains list --all" | head -1`);
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.trim().split("\n")).toHaveLength(1);
  });

  it("lists everything page by page", async () => {
    const { out } = await shell(`eval "$CW --json chains list --all"`).ended;
    expect(new Set(out.trim().split("\n")).size).toBe(many);
  });

  it("reads lines with Windows line ends, and refuses a question without a terminal", async () => {
    const started = await shell(`eval "$CW start mail.send -"`, '{"to":"a"}\r\n{"to":"b"}\r\n').ended;
    expect(started.out.trim().split("\n")).toHaveLength(2);
    const refused = await shell(`eval "$CW chains cancel --status active"`, "y\n").ended;
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("there is no terminal to ask");
  });

  it.each([
    ["tail", /Ctrl-C ends/],
    ["dev", /Press Ctrl-C to stop/],
    ["dashboard", /Press Ctrl-C to stop/],
  ])("%s ends with 0 at SIGINT and at SIGTERM", async (command, begun) => {
    for (const signal of ["SIGINT", "SIGTERM"]) {
      const { ended, err, child } = shell(`eval "exec $CW ${command}"`);
      await expect.poll(() => err.join(""), { timeout: 50_000 }).toMatch(begun);
      child.kill(signal as NodeJS.Signals);
      expect(await ended).toMatchObject({ code: 0 });
    }
  });

  it("says what was done when a long change is stopped", async () => {
    const { ended, err, child } = shell(`eval "exec $CW --json chains cancel --status active --yes"`);
    await expect.poll(() => err.join(""), { timeout: 50_000 }).toContain("100 of");
    child.kill("SIGINT");
    const { code, out } = await ended;
    const account = JSON.parse(out) as { readonly cancelled: number; readonly notTried: number };
    expect(account.cancelled + account.notTried).toBe(many + 2);
    expect(account.notTried > 0 ? 1 : 0).toBe(code);
    const left = await shell(`eval "$CW chains list --status active --all"`).ended;
    expect(left.out.split("\n").filter((line) => line !== "")).toHaveLength(account.notTried);
  });

  it("loads no adapter and measures no text for its help", async () => {
    const traced = `'${process.execPath}' ${flags.join(" ")} --input-type=module -e`;
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { run } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
      await run({ args: ["--help"], env: {}, folder: "/", print: () => {}, complain: () => {}, ask: async () => undefined,
        read: async function* () {}, untilStopped: async () => {}, columns: 80 });
      console.log(loaded.filter((url) => /string-width|packages.(core|sqlite|postgres|dashboard)|node_modules.pg/.test(url)).join(" "));
    `;
    const { out, err } = await shell(`${traced} '${script.replaceAll("'", "'\\''")}'`).ended;
    expect(err).toBe("");
    expect(out).toBe("\n");
  });
});

describe.skipIf(process.platform !== "linux")("on a terminal", () => {
  const inTerminal = async (columns: number, command: string, environment = "") => {
    const sized = `stty cols ${columns}; env -u NO_COLOR ${environment} ${program} ${command}`.replaceAll('"', '\\"');
    return await shell(`script -qec "${sized}" /dev/null`).ended;
  };

  it.each([40, 80, 200])("of %i columns no line is wider, and ids are whole", async (columns) => {
    const { out } = await inTerminal(columns, "chains list --limit 5");
    const lines = out.split(/\r?\n/).filter((line) => line !== "");
    const plain = lines.map((line) => stripVTControlCharacters(line));
    expect(lines.join("")).toContain("\u001b[");
    const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
    expect(plain.filter((line) => id.test(line))).toHaveLength(5);
    expect(plain.filter((line) => line.length > Math.max(columns, 80))).toEqual([]);
  });

  it("has no colour with NO_COLOR", async () => {
    const { out } = await inTerminal(80, "chains list --limit 5", "NO_COLOR=1");
    expect(out).toContain("mail.send");
    expect(out).not.toContain("\u001b[");
  });
});
