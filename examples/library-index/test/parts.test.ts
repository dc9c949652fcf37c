import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countText } from "../src/count-text.ts";
import { digestPart } from "../src/digest.ts";
import type { RecordEffect } from "../src/effects.ts";
import { stopHalfWay } from "../src/half-way.ts";
import { scan } from "../src/scan.ts";
import { showPath } from "../src/show-path.ts";
import { createFolder } from "./demo.ts";

const text = Buffer.from("  Grüße an alle,\r\nzweite\tZeile 🦉 \n\n\nohne Ende ");

function* chunksOf(bytes: Uint8Array, size: number) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}

describe("a text in chunks", () => {
  it("has the same lines and words as the whole, wherever it is cut", () => {
    const whole = text.toString("latin1");
    const expected = { lines: whole.split("\n").length - 1, words: (whole.match(/[^ \t\n\v\f\r]+/g) ?? []).length };
    for (let size = 1; size <= text.length; size += 1) {
      let counts = { lines: 0, words: 0, inWord: false };
      for (const chunk of chunksOf(text, size)) counts = countText(counts, chunk);
      expect(counts).toMatchObject(expected);
    }
  });

  it("has the same digest as the whole, wherever it is cut", () => {
    const expected = createHash("sha256").update(text).digest("hex");
    for (let size = 1; size <= text.length; size += 1) {
      let hashState: string | null = null;
      let sha256 = "";
      const chunks = [...chunksOf(text, size)];
      for (const [index, chunk] of chunks.entries()) {
        // A chunk of another file is digested in between, as in a worker.
        digestPart(null, Buffer.from("another"), false);
        const part = digestPart(hashState, chunk, index === chunks.length - 1);
        if ("sha256" in part) sha256 = part.sha256;
        else hashState = part.hashState;
      }
      expect(sha256).toBe(expected);
    }
  });
});

describe("the half-way point", () => {
  it.each([
    { files: 1, at: 1 },
    { files: 2, at: 1 },
    { files: 5, at: 3 },
  ])("of $files files is entry $at, reported once and never passed", async ({ files, at }) => {
    const reported: number[] = [];
    const noRecord: RecordEffect = async () => undefined;
    let entries = 0;
    const record = stopHalfWay(noRecord, files, () => reported.push(entries));
    const effect = { jobId: "", chainId: "", path: "", amount: 0, sha256: null };
    for (entries = 1; entries < at; entries += 1) {
      await record(undefined as never, { ...effect, typeName: "file.read-text" });
      await record(undefined as never, { ...effect, typeName: "file.catalog" });
    }
    expect(reported).toEqual([]);
    const passed = record(undefined as never, { ...effect, typeName: "file.catalog" }).then(() => "passed");
    await Promise.resolve();
    expect(reported).toEqual([at]);
    expect(await Promise.race([passed, new Promise((resolve) => setImmediate(resolve, "waits"))])).toBe("waits");
  });
});

describe("the scan", () => {
  it("finds files in the order of their names, and leaves out node_modules, .git and the given paths", async () => {
    const folder = await createFolder();
    for (const name of ["b/2", "b/1", "a", "c", ".git/x", "b/node_modules/x", "own.db"]) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), "");
    }
    const { files, skipped } = await scan(folder, { leaveOut: [join(folder, "own.db")] });
    expect(files).toEqual(["a", "c", join("b", "1"), join("b", "2")]);
    expect(skipped).toEqual([]);
  });

  it("reports a folder that it cannot read, and continues", async () => {
    const { files, skipped } = await scan(join(await createFolder(), "gone"), { leaveOut: [] });
    expect({ files, skipped }).toEqual({
      files: [],
      skipped: [{ reason: "a folder: it no longer exists", count: 1, examples: [""] }],
    });
  });
});

describe("a printed path", () => {
  it.each([
    ["plain/日本語 🦉.txt", "plain/日本語 🦉.txt"],
    ["two\nlines\t", String.raw`two\nlines\t`],
    ["\u001b[31mred\u007f", String.raw`\u{1b}[31mred\u{7f}`],
    ["gnp.\u202egpj", String.raw`gnp.\u{202e}gpj`],
    ["", "."],
  ])("%j is printed as %s", (path, shown) => {
    expect(showPath(path)).toBe(shown);
  });
});
