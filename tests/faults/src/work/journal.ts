import { openSync, readFileSync, writeSync } from "node:fs";

/** An append-only log outside the database: it keeps every line even if the process is killed right after it. */
export interface Journal {
  write(...words: readonly (string | number)[]): void;
}

export function openJournal(path: string): Journal {
  const file = openSync(path, "a");
  return { write: (...words) => void writeSync(file, `${words.join(" ")}\n`) };
}

/** The lines of a journal, as words, without a last line that was cut off. */
export function readJournal(path: string): readonly (readonly string[])[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // the process ended before it wrote any
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
