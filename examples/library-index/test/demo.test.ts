import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolder, startDemo } from "./demo.ts";

describe("the demo", { timeout: 60_000 }, () => {
  it("counts, digests and checks every file of a folder, and loses a worker half-way", async () => {
    const folder = await createFolder();
    await mkdir(join(folder, "below"));
    await writeFile(join(folder, "two lines.txt"), "one two three\nfour five\n");
    await writeFile(join(folder, "below", "no line end.txt"), "six");
    await writeFile(join(folder, "empty"), "");
    await writeFile(join(folder, "binary"), Buffer.from([1, 0, 2]));
    // A loop of 31 chunks of 100 bytes.
    await writeFile(join(folder, "large.txt"), "0123 5678\n".repeat(310));
    const demo = startDemo(folder, "--chunk-bytes", "100");
    expect(await demo.ended).toBe(0);
    expect(demo.output()).toContain("text: 4 files with 312 lines and 626 words; binary: 1 file; 3,130 bytes in all");
    expect(demo.output()).toContain("largest: large.txt (3,100), two lines.txt (24), binary (3)");
    expect(figuresIn(demo.output())).toMatchObject({
      files: "5",
      chains: "6",
      // Two jobs of the library; for each file the first look, the entry and its chunks: 1 + 1 + 1 + 1 + 31.
      jobs: String(2 + 5 * 2 + 35),
      "workers killed": "2",
    });
    expect(demo.output()).toMatch(/killed with SIGKILL half-way, inside an open transaction/);
    // The report's own progress, seen from another process; a killed attempt is not begun again.
    expect(demo.output()).toContain(" 60 %  3 of 5 entries merged");
    expect(demo.output()).toMatch(/killed with SIGKILL in the report, after a checkpoint/);
    expect(demo.output()).toContain("The report went on from its checkpoint: 3 of 5 entries were merged before.");
    expect(demo.output()).toContain("5 of 5 digests recomputed with the same result");
    expect(demo.output()).toContain("42 effects compared with 42 completed steps");
    expect(demo.output()).toContain("\n0 lost, 0 doubled, 0 wrong\n");
  });

  it("repeats the open step of the killed worker", async () => {
    const folder = await createFolder();
    await writeFile(join(folder, "only"), "one");
    const demo = startDemo(folder);
    expect(await demo.ended).toBe(0);
    const { attempts, "repeated attempts": repeated, jobs } = figuresIn(demo.output());
    expect(jobs).toBe("5");
    expect(Number(repeated)).toBeGreaterThanOrEqual(1);
    expect(Number(attempts)).toBe(5 + Number(repeated));
  });

  it("works with an empty folder", async () => {
    const demo = startDemo(await createFolder());
    expect(await demo.ended).toBe(0);
    expect(figuresIn(demo.output())).toMatchObject({ files: "0", jobs: "2", "workers killed": "0" });
  });

  it("deletes its own database, or with --keep keeps it and shows how to read it", async () => {
    const folder = await createFolder();
    const left = startDemo(folder);
    expect(await left.ended).toBe(0);
    expect(existsSync(databaseOf(left.output()))).toBe(false);

    const database = join(folder, "library.db");
    const kept = startDemo(folder, "--keep", "--database", database);
    expect(await kept.ended).toBe(0);
    expect(existsSync(database)).toBe(true);
    expect(kept.output()).toContain(`sqlite3 -box '${database}'`);
    // A database in the folder is not part of the library.
    expect(figuresIn(kept.output())).toMatchObject({ files: "0" });
  });

  it.skipIf(process.platform === "win32")(
    "reports everything that is not an ordinary file, and follows none of it",
    async () => {
      const folder = await createFolder();
      await writeFile(join(folder, "ordinary.txt"), "one\n");
      await symlink(folder, join(folder, "round and round"));
      const server = createServer().listen(join(folder, "socket"));
      onTestFinished(() => void server.close());
      await once(server, "listening");
      const demo = startDemo(folder);
      expect(await demo.ended).toBe(0);
      expect(demo.output()).toContain("left out: a symbolic link (1): round and round");
      expect(demo.output()).toContain("left out: a socket (1): socket");
      expect(demo.output()).toContain("0 lost, 0 doubled, 0 wrong");
    },
  );

  it.skipIf(process.platform === "win32")("accepts any file name, and prints no terminal control codes", async () => {
    const folder = await createFolder();
    for (const name of ["two\nlines", "\u001b[31mred", "日本語 🦉", "-rf", "'quoted\""]) {
      await writeFile(join(folder, name), name);
    }
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff])]), "no text");
    const demo = startDemo(folder);
    expect(await demo.ended).toBe(0);
    expect(demo.output()).toContain("5 of 5 digests recomputed with the same result");
    expect(demo.output()).toContain("left out: a name that is not UTF-8 (1)");
    // The output is not a terminal, so it contains no control codes.
    expect(demo.output()).not.toContain("\u001b");
  });

  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "reports files that it may not read",
    async () => {
      const folder = await createFolder();
      await writeFile(join(folder, "secret"), "", { mode: 0o000 });
      await writeFile(join(folder, "open.txt"), "one");
      const demo = startDemo(folder);
      expect(await demo.ended).toBe(0);
      expect(demo.output()).toContain("not read: this user may not read it (1): secret");
    },
  );
});

describe("an invalid command line", { timeout: 60_000 }, () => {
  it.each([
    { args: ["/no/such/folder"], exit: 1, says: "There is no folder /no/such/folder." },
    { args: [process.execPath], exit: 1, says: "is not a folder." },
    { args: ["--database", "/no/such/folder/x.db"], exit: 1, says: "There is no folder /no/such/folder" },
    { args: ["--database", process.execPath], exit: 1, says: "no SQLite database" },
    { args: ["--wat"], exit: 2, says: "--wat" },
    { args: ["one", "two"], exit: 2, says: "at most one folder" },
    { args: ["--chunk-bytes", "0"], exit: 2, says: "--chunk-bytes must be an integer" },
    { args: ["--help"], exit: 0, says: "npm run demo -- [folder]" },
  ])("is explained: $args", async ({ args, exit, says }) => {
    const demo = startDemo(...args);
    expect(await demo.ended).toBe(exit);
    expect(demo.output()).toContain(says);
    expect(demo.output()).not.toContain("    at ");
  });
});

function databaseOf(output: string): string {
  return /^Database: (.*)$/m.exec(output)?.[1] ?? "";
}

/** Reads the table at the end. */
function figuresIn(output: string): Record<string, string> {
  const figures: Record<string, string> = {};
  for (const [, name = "", value = ""] of output.matchAll(/^│ ([^│]+?) +│ +([^│]+?) │$/gm)) figures[name] = value;
  return figures;
}
