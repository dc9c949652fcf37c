import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-dev-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the development server", () => {
  it("shows a newcomer chains that run, in an empty folder, and leaves nothing there", async () => {
    const printed: string[] = [];
    const { code, err } = await cli(["--json", "dev"], {
      folder,
      onPrint: (text) => void printed.push(text),
      untilStopped: async () => {
        const { dashboard } = JSON.parse(printed.join("")) as { readonly dashboard: string };
        const signedIn = await fetch(dashboard, { redirect: "manual" });
        const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
        const overview = async (): Promise<string> =>
          await (await fetch(new URL("/-/chains", dashboard), { headers: { cookie } })).text();
        await expect.poll(overview, { timeout: 50_000 }).toContain('"completed"');
        await expect.poll(overview, { timeout: 50_000 }).toContain("no one is called Nobody");
      },
    });
    expect(code, err).toBe(0);
    expect(existsSync(join(folder, ".chainwright"))).toBe(false);
  });

  it("keeps its chains with --keep, where the other commands find them", async () => {
    const kept = { CHAINWRIGHT_STORE: "sqlite:.chainwright/jobs.db" };
    const seen: string[] = [];
    const { code, err } = await cli(["dev", "--keep"], {
      folder,
      untilStopped: async () => {
        await expect
          .poll(async () => (await cli(["chains", "list", "--status", "completed"], { folder, env: kept })).lines, {
            timeout: 50_000,
          })
          .not.toEqual([]);
      },
    });
    expect(code, err).toBe(0);
    seen.push(...(await cli(["chains", "list"], { folder, env: kept })).lines);
    expect(seen.length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ["in production", ["dev"], { NODE_ENV: "production" }, "NODE_ENV is production"],
    ["on a store that an option names", ["--store", "sqlite:a.db", "dev"], {}, "a store of its own"],
  ])("is refused %s", async (_what, args, env, text) => {
    const { code, err } = await cli(args, { folder, env });
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(text);
  });
});
