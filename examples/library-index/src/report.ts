import { digestPart } from "./digest.ts";
import type { CatalogEntry, LibraryReport, ReportDraft, Tally } from "./job-types.ts";
import { createTallyBook } from "./tally.ts";

/** The number of largest files in a report. */
const largestCount = 3;

export const emptyDraft: ReportDraft = {
  files: 0,
  text: 0,
  binary: 0,
  bytes: 0,
  lines: 0,
  words: 0,
  largest: [],
  unread: [],
  hashState: null,
};

/** Merges further outputs of files' chains into a report. */
export function mergeEntries(draft: ReportDraft, entries: readonly CatalogEntry[]): ReportDraft {
  const merged = { ...draft };
  const unread = createTallyBook(draft.unread);
  const digests: Buffer[] = [];
  for (const entry of entries) {
    merged.files += 1;
    if (entry.kind === "unread") {
      unread.add(entry.reason, entry.path);
      continue;
    }
    const { path, size } = entry;
    merged[entry.kind] += 1;
    merged.bytes += size;
    if (entry.kind === "text") {
      merged.lines += entry.lines;
      merged.words += entry.words;
    }
    merged.largest = [...merged.largest, { path, size }].sort((a, b) => b.size - a.size).slice(0, largestCount);
    digests.push(Buffer.from(entry.sha256, "hex"));
  }
  const digest = digestPart(draft.hashState, Buffer.concat(digests), false);
  return { ...merged, unread: unread.list(), hashState: "hashState" in digest ? digest.hashState : null };
}

/** The report, once all entries are merged. */
export function reportOf({ hashState, ...merged }: ReportDraft, skipped: Tally[]): LibraryReport {
  const digest = digestPart(hashState, Buffer.alloc(0), true);
  return { ...merged, skipped, sha256: "sha256" in digest ? digest.sha256 : "" };
}
