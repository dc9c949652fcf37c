import { createHash } from "node:crypto";
import type { CatalogEntry, LibraryReport, Tally } from "./job-types.ts";
import { createTallyBook } from "./tally.ts";

/** The number of largest files in a report. */
const largestCount = 3;

/** Merges the outputs of the files' chains. */
export function mergeEntries(entries: Iterable<CatalogEntry>, skipped: Tally[]): LibraryReport {
  const report = { files: 0, text: 0, binary: 0, bytes: 0, lines: 0, words: 0 };
  let largest: { path: string; size: number }[] = [];
  const unread = createTallyBook();
  const hash = createHash("sha256");
  for (const entry of entries) {
    report.files += 1;
    if (entry.kind === "unread") {
      unread.add(entry.reason, entry.path);
      continue;
    }
    const { path, size } = entry;
    report[entry.kind] += 1;
    report.bytes += size;
    if (entry.kind === "text") {
      report.lines += entry.lines;
      report.words += entry.words;
    }
    largest = [...largest, { path, size }].sort((a, b) => b.size - a.size).slice(0, largestCount);
    hash.update(entry.sha256, "hex");
  }
  return { ...report, largest, skipped, unread: unread.list(), sha256: hash.digest("hex") };
}
