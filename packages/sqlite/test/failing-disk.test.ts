import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { findCompiler, preloadable } from "./preload.ts";
import { outputOf, runProgram } from "./program.ts";

const libraries = ["better-sqlite3", "node:sqlite"];
const failures = ["sync", "write"];
const cases = libraries.flatMap((library) => failures.map((failure) => ({ library, failure })));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "chainwright-disk-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it.skipIf(findCompiler() === undefined).each(cases)(
  "acknowledges nothing while every $failure fails, loses nothing that it acknowledged before, and continues afterwards, on $library",
  { timeout: 120_000 },
  async ({ library, failure }) => {
    const [work, aside] = [folder(), folder()];
    const env = {
      ...process.env,
      LD_PRELOAD: preloadable("failing-disk", aside),
      FAIL_FOLDER: work,
      FAIL_SWITCH: join(aside, "switch"),
    };
    const path = join(work, "jobs.db");
    const lines = (await outputOf(runProgram("failing-disk", { env }, library, path, failure))).trim().split("\n");
    const broken = lines.slice(lines.indexOf("broken") + 1, lines.indexOf("mended"));
    const working = [...lines.slice(0, lines.indexOf("broken")), ...lines.slice(lines.indexOf("mended") + 1)];
    expect(new Set(broken.map(wordOf))).toEqual(new Set(["store-unavailable"]));
    expect(new Set(working.map(wordOf))).toEqual(new Set(["acknowledged"]));

    const database = new Database(path);
    onTestFinished(() => void database.close());
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    const there = database.prepare<[], { id: string }>("select id from chainwright_job").all();
    // A start whose commit could not be synced may still be stored: its caller cannot know.
    const known = new Set(there.map(({ id }) => id));
    expect(working.map((line) => known.has(line.split(" ")[1] ?? ""))).toEqual(working.map(() => true));
  },
);

const wordOf = (line: string) => line.split(" ")[0];
