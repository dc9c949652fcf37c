import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Tally } from "./job-types.ts";
import { reasonOf } from "./file-errors.ts";
import { createTallyBook } from "./tally.ts";

/** The contents of a folder and its subfolders. */
export interface Scan {
  /** Paths of ordinary files, relative to the folder, in an order that does not change from scan to scan. */
  readonly files: readonly string[];
  /** Everything else, by reason. */
  readonly skipped: Tally[];
}

/** Folders that contain the files of others, or history. */
const leftOutNames: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** Walks a folder. Reports everything that is not an ordinary file but does not open it: a link may lead anywhere, a pipe never ends. */
export async function scan(
  folder: string,
  options: { readonly leaveOut: readonly string[]; readonly signal?: AbortSignal },
): Promise<Scan> {
  const leaveOut = new Set(options.leaveOut);
  const files: string[] = [];
  const skipped = createTallyBook();
  const folders = [""];

  for (let inside = folders.pop(); inside !== undefined; inside = folders.pop()) {
    options.signal?.throwIfAborted();
    const below: string[] = [];
    for (const entry of await list(join(folder, inside), (reason) => skipped.add(reason, inside))) {
      const path = join(inside, entry.name.toString());
      // Names are bytes. A name that is not text cannot be stored as text and found again.
      if (!isUtf8(entry.name)) skipped.add("a name that is not UTF-8", path);
      else if (leaveOut.has(join(folder, path))) continue;
      else if (entry.isFile()) files.push(path);
      else if (!entry.isDirectory()) skipped.add(kindOf(entry), path);
      else if (!leftOutNames.has(entry.name.toString())) below.push(path);
    }
    folders.push(...below.reverse());
  }
  return { files, skipped: skipped.list() };
}

async function list(folder: string, onProblem: (reason: string) => void): Promise<Dirent<Buffer>[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
    return entries.sort((a, b) => a.name.compare(b.name));
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    onProblem(`a folder: ${reason}`);
    return [];
  }
}

function kindOf(entry: Dirent<Buffer>): string {
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isSocket()) return "a socket";
  if (entry.isFIFO()) return "a named pipe";
  return "a device";
}
