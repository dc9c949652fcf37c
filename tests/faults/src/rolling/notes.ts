import { readFileSync } from "node:fs";
import { join } from "node:path";

export const journalPath = (folder: string, name: string): string => join(folder, `${name}.journal`);
export const errorsPath = (folder: string, name: string): string => join(folder, `${name}.errors`);

/** The longest output of errors that a report contains. */
const longestErrors = 2_000;

/** What a process wrote down; its output of errors is a trouble. */
export function notesOf(folder: string, name: string): readonly string[] {
  const errors = readFileSync(errorsPath(folder, name), "utf8").slice(0, longestErrors).replaceAll("\n", " ");
  return [...wholeLines(journalPath(folder, name)), ...(errors === "" ? [] : [`trouble ${errors}`])];
}

/** The ids of the workers of a process. */
export function workersOf(folder: string, name: string): readonly string[] {
  const kind = "worker ";
  return wholeLines(journalPath(folder, name))
    .filter((line) => line.startsWith(kind))
    .map((line) => line.slice(kind.length));
}

/** The lines of a file, without a last one that was cut off. */
function wholeLines(path: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // the process was killed before it wrote any
  }
  return text.split("\n").slice(0, -1);
}
