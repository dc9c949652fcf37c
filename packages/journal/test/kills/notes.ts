import { openSync, readFileSync, writeSync } from "node:fs";

/** What a process has seen. It is in a file outside of the journal, so that it stays when the process is killed. */
export type Note =
  /** A start returned. */
  | { readonly kind: "started"; readonly group: string; readonly chains: readonly string[] }
  /** A handler began. */
  | { readonly kind: "ran"; readonly chain: string; readonly job: string; readonly attempt: number }
  /** A wait for the end of a chain returned. */
  | { readonly kind: "ended"; readonly chain: string }
  /** A deletion was called, and it returned. */
  | { readonly kind: "deleting"; readonly chain: string }
  | { readonly kind: "deleted"; readonly chain: string };

export type TakeNote = (note: Note) => void;

/** One system call a note, so that none is cut short. */
export function openNotes(path: string): TakeNote {
  const file = openSync(path, "a");
  return (note) => void writeSync(file, `${JSON.stringify(note)}\n`);
}

/** In the order in which they were written. */
export function readNotes(path: string): readonly Note[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Note);
}
