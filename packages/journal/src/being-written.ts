import { setTimeout as delay } from "node:timers/promises";
import type { ReadDisk } from "./disk.ts";
import { readHead } from "./format.ts";

/** A write of a record takes far less. */
const writeMs = 50;
const tries = 10;

interface Seen {
  readonly name: string;
  readonly at: number;
  /** What was read from there to the end of the file. */
  readonly seen: Buffer;
}

/**
 * Whether the owner of a folder was writing a record while it was read, which explains that it is not readable: the record is whole when it
 * is read again. What is behind it was written later, so a reader may end before it.
 */
export async function isBeingWritten(disk: ReadDisk, { name, at, seen }: Seen): Promise<boolean> {
  if (disk.isShared === undefined || readHead(seen, 0) !== undefined) return false;
  let last = seen;
  for (let count = 0; count < tries; count += 1) {
    await delay(writeMs);
    const now = await readFrom(disk, name, at);
    if (readHead(now, 0) !== undefined) return true;
    if (now.equals(last)) return false;
    last = now;
  }
  return false;
}

/** The file is opened again, because it may have grown. */
async function readFrom(disk: ReadDisk, name: string, at: number): Promise<Buffer> {
  const file = await disk.open(name);
  try {
    return await file.read(Math.max(0, (await file.size()) - at), at);
  } finally {
    await file.close();
  }
}
