import { defineJobTypes } from "chainwright";

/*
 * There is one chain for the library and one for each of its files:
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
      /** The report of the entries that are merged: a later attempt goes on with the others. */
      checkpoint: ReportDraft;
      progress: { done: number; total: number };
    };
  },
  typeof fileJobTypes
>();

/** A file, and how many bytes of it one step reads. */
export type FileRef = { folder: string; path: string; chunkBytes: number };

/** A file at the first look. If its size or time differs later, it has changed. */
export type Version = { size: number; modifiedMs: number };

/** The progress of reading a file: everything that the next step needs, in any process. */
export type Reading = FileRef &
  Version & {
    offset: number;
    /** The intermediate state of the SHA-256 so far; null at the beginning. */
    hashState: string | null;
  };

/** Counts like those of `wc`: line ends, and runs of bytes that are not white space. */
export type TextCounts = {
  lines: number;
  words: number;
  /** Whether the last byte belonged to a word, which may continue in the next chunk. */
  inWord: boolean;
};

/** A completely read file. */
export type Digested = Version & { path: string; sha256: string };

/** A file that could not be read. It is reported and stops nothing. */
export type Unread = { kind: "unread"; path: string; reason: string };

/** The output of a file's chain. */
export type CatalogEntry =
  | (Digested & { kind: "text"; lines: number; words: number })
  | (Digested & { kind: "binary" })
  | Unread;

/** The number of paths with the same reason, and the first few of them. */
export type Tally = { reason: string; count: number; examples: string[] };

/** A report of the first entries. */
export type ReportDraft = Omit<LibraryReport, "skipped" | "sha256"> & {
  /** As in {@link Reading}. */
  hashState: string | null;
};

export type LibraryReport = {
  files: number;
  text: number;
  binary: number;
  bytes: number;
  lines: number;
  words: number;
  largest: { path: string; size: number }[];
  /** Entries that are not ordinary files. */
  skipped: Tally[];
  /** Files that could not be read. */
  unread: Tally[];
  /** The SHA-256 of the digests of all files, in the order of the scan. */
  sha256: string;
};
