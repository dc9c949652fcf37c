import { openSync, readFileSync, writeSync } from "node:fs";

/** An append-only log outside the database: what is written is there when the process is killed in the next moment. */
export interface Journal {
  write(...words: readonly (string | number)[]): void;
}

export function openJournal(path: string): Journal {
  const file = openSync(path, "a");
  return { write: (...words) => void writeSync(file, `${words.join(" ")}\n`) };
}

/** The lines of a journal, as words; a last line that was cut off is none. */
export function readJournal(path: string): readonly (readonly string[])[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // the process did not come so far
  }
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
}

/** How many attempts had begun and not ended. */
export function unfinishedIn(lines: readonly (readonly string[])[]): number {
  const open = new Set<string>();
  for (const [kind, jobId, attempt] of lines) {
    if (kind === "begun") open.add(`${jobId} ${attempt}`);
    else open.delete(`${jobId} ${attempt}`);
  }
  return open.size;
}
