import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lookAt } from "../src/read-file.ts";
import { createFolder } from "./demo.ts";
import { indexLibrary } from "./library.ts";

describe.skipIf(process.platform === "win32")("a file that has changed since the scan", () => {
  it.each([
    { what: "vanished", change: (path: string) => rmSync(path), reason: "it no longer exists" },
    { what: "is a folder now", change: becomeFolder, reason: "it is no longer a file" },
    { what: "is a symbolic link now", change: becomeLink, reason: "it is no longer a file" },
  ])("is reported and does not stop the others: it $what", async ({ change, reason }) => {
    const folder = await createFolder();
    writeFileSync(join(folder, "a.txt"), "one\n");
    writeFileSync(join(folder, "b.txt"), "two\n");
    const { report, checkDigests, checkEffects } = await indexLibrary(folder, {
      onEffect: ({ typeName }) => {
        if (typeName === "library.index") change(join(folder, "a.txt"));
      },
    });
    expect(report).toMatchObject({ files: 2, text: 1, lines: 1 });
    expect(report.unread).toEqual([{ reason, count: 1, examples: ["a.txt"] }]);
    expect(await checkDigests()).toMatchObject({ files: 2, right: 1, wrong: [], changed: [] });
    expect(await checkEffects()).toMatchObject({ lost: 0, doubled: 0 });
  });

  it.each([
    { what: "grows", change: (path: string) => appendFileSync(path, "more") },
    { what: "is cut", change: (path: string) => writeFileSync(path, "less") },
    { what: "is touched", change: (path: string) => utimesSync(path, 0, 0) },
  ])("is reported when it $what between two of its chunks", async ({ change }) => {
    const folder = await createFolder();
    const path = join(folder, "large.txt");
    writeFileSync(path, "0123456789".repeat(25));
    let chunks = 0;
    const { report } = await indexLibrary(folder, {
      onEffect: ({ typeName }) => {
        if (typeName === "file.read-text" && (chunks += 1) === 2) change(path);
      },
    });
    expect(report.unread).toEqual([{ reason: "it changed while it was read", count: 1, examples: ["large.txt"] }]);
  });

  it.skipIf(process.platform !== "linux")(
    "is reported when it is longer than its size, like the files of /proc",
    async () => {
      const file = { folder: "/proc/self", path: "status", chunkBytes: 100 };
      expect(await lookAt(file)).toEqual({ kind: "unread", path: "status", reason: "it is longer than its size" });
    },
  );
});

function becomeFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

function becomeLink(path: string): void {
  rmSync(path);
  symlinkSync("b.txt", path);
}
