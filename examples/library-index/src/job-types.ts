import { defineJobTypes } from "chainwright";

/*
 * One chain for the library, and one for each of its files:
 *
 *     library.index ───► library.report       blocked by every file's chain: runs once the last of them has ended
 *
 *     file.index ─┬─► file.read-text ───┬─► file.catalog
 *                 │      ▲ loops │      │
 *                 │      └───────┘      │
 *                 ├─► file.read-binary ─┤
 *                 │      ▲ loops │      │
 *                 │      └───────┘      │
 *                 └─────────────────────┘     a file that cannot be read goes straight to the end
 */

export const fileJobTypes = defineJobTypes<{
  "file.index": {
    entry: true;
    input: FileRef;
    continueWith: "file.read-text" | "file.read-binary" | "file.catalog";
  };
  "file.read-text": {
    input: Reading & TextCounts;
    continueWith: "file.read-text" | "file.catalog";
  };
  "file.read-binary": {
    input: Reading;
    continueWith: "file.read-binary" | "file.catalog";
  };
  "file.catalog": { input: CatalogEntry; output: CatalogEntry };
}>();

export const libraryJobTypes = defineJobTypes<
  {
    "library.index": {
      entry: true;
      input: { folder: string; chunkBytes: number; leaveOut: string[] };
      continueWith: "library.report";
    };
    "library.report": {
      input: { folder: string; files: number; skipped: Tally[] };
      output: LibraryReport;
      blockers: [..."file.index"[]];
    };
  },
  typeof fileJobTypes
>();

/** A file, and how much of it one step reads. */
export type FileRef = { folder: string; path: string; chunkBytes: number };

/** A file as it was when it was first looked at. Another size or time later on: it changed under our hands. */
export type Version = { size: number; modifiedMs: number };

/** How far a file has been read. All that the next step needs is in here, whichever process runs it. */
export type Reading = FileRef &
  Version & {
    offset: number;
    /** The SHA-256 of what came before, half-way through its computation. Null: nothing came before. */
    hashState: string | null;
  };

/** As `wc` counts: line ends, and runs of bytes that are not white space. */
export type TextCounts = {
  lines: number;
  words: number;
  /** Whether the last byte belonged to a word, which may go on in the next chunk. */
  inWord: boolean;
};

/** A file that was read to its end. */
export type Digested = Version & { path: string; sha256: string };

/** A file that could not be read: told, and no reason to stop. */
export type Unread = { kind: "unread"; path: string; reason: string };

/** What a file's chain ends in. */
export type CatalogEntry =
  | (Digested & { kind: "text"; lines: number; words: number })
  | (Digested & { kind: "binary" })
  | Unread;

/** How many paths share a reason for not being read, and the first few of them. */
export type Tally = { reason: string; count: number; examples: string[] };

export type LibraryReport = {
  files: number;
  text: number;
  binary: number;
  bytes: number;
  lines: number;
  words: number;
  largest: { path: string; size: number }[];
  /** Found by the scan, and no ordinary file. */
  skipped: Tally[];
  /** Files that could not be read. */
  unread: Tally[];
  /** The SHA-256 of all the files' digests, in the order of the scan. */
  sha256: string;
};
