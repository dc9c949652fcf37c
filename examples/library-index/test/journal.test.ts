import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, startDemo } from "./demo.ts";

describe("the demo without a database", { timeout: 120_000 }, () => {
  it("loses and doubles nothing, although the whole program is killed twice", async () => {
    const folder = await createFolder();
    for (let i = 0; i < 120; i += 1) await writeFile(join(folder, `${i}`), `text ${i}`);
    const demo = startDemo(folder, "--store", "journal");
    expect(await demo.ended, demo.output()).toBe(0);
    expect(demo.output()).toContain("120 files and 120 notes");
    expect(demo.output()).toContain("programs killed: 2");
    expect(demo.output()).toContain("120 of 120 digests recomputed with the same result");
    expect(demo.output()).toContain("\n0 lost, 0 doubled, 0 wrong\n");
  });

  it("works with an empty folder, and kills nothing", async () => {
    const demo = startDemo(await createFolder(), "--store", "journal");
    expect(await demo.ended, demo.output()).toBe(0);
    expect(demo.output()).toContain("programs killed: 0");
  });

  it.each([
    [["--store", "paper"], "--store must be sqlite or journal"],
    [["--store", "journal", "--database", "run.db"], "--database is a file of SQLite"],
  ])("refuses %j", async (args, text) => {
    const demo = startDemo(...args);
    expect(await demo.ended).toBe(2);
    expect(demo.output()).toContain(text);
  });
});
