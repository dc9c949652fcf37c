import { readCurrentBytes } from "./current.ts";
import type { ReadDisk } from "./disk.ts";

/**
 * Reads a folder that another process may use: its snapshots replace CURRENT, and delete what the old one has named. What fails is read
 * again if CURRENT has changed meanwhile, so an error is one of the folder.
 */
export async function readSettled<Result>(disk: ReadDisk, read: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const before = await readCurrentBytes(disk);
    try {
      return await read();
    } catch (error) {
      const after = await readCurrentBytes(disk);
      if (before === after || (before !== undefined && after?.equals(before) === true)) throw error;
    }
  }
}
