import { fdatasync, fdatasyncSync, writeSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Disk, DiskFile, ReadDisk } from "./disk.ts";

const syncData = promisify(fdatasync);

/** The files of a folder, which is created if it is missing. */
export async function openRealDisk(folder: string): Promise<Disk> {
  const created = await mkdir(folder, { recursive: true });
  if (created !== undefined) await syncNames(dirname(resolve(created)));
  const at = (name: string) => join(folder, name);
  return {
    list: () => readdir(folder),
    open: async (name) => toFile(await open(at(name), "r+")),
    create: async (name) => toFile(await open(at(name), "w+")),
    rename: (from, to) => rename(at(from), at(to)),
    remove: (name) => rm(at(name)),
    syncFolder: () => syncNames(folder),
  };
}

/**
 * The files of a folder that another process may use: nothing is created, and each file ends where it ended when it was opened, because
 * what is written later may be there in part.
 */
export function openDiskToRead(folder: string): ReadDisk {
  return {
    isShared: true,
    list: () => readdir(folder),
    open: async (name) => {
      const handle = await open(join(folder, name), "r");
      const { size } = await handle.stat();
      return {
        size: async () => size,
        read: (length, at) => readAt(handle, Math.max(0, Math.min(length, size - at)), at),
        close: () => handle.close(),
      };
    },
  };
}

function toFile(handle: FileHandle): DiskFile {
  return {
    size: async () => (await handle.stat()).size,
    read: (length, at) => readAt(handle, length, at),
    write: (data, at) => {
      for (let done = 0; done < data.length;) {
        const written = writeSync(handle.fd, data, done, data.length - done, at + done);
        if (written === 0) throw new Error("the disk took no byte");
        done += written;
      }
    },
    truncate: (size) => handle.truncate(size),
    sync: () => syncData(handle.fd),
    syncNow: () => {
      fdatasyncSync(handle.fd);
    },
    close: () => handle.close(),
  };
}

/** The system reads less than 2 GiB at once. */
const mostBytes = 2 ** 30;

async function readAt(handle: FileHandle, length: number, at: number): Promise<Buffer> {
  const data = Buffer.allocUnsafe(length);
  let end = 0;
  while (end < length) {
    const { bytesRead } = await handle.read(data, end, Math.min(length - end, mostBytes), at + end);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return data.subarray(0, end);
}

/** Windows syncs no folders: there the file system keeps names in its own journal. */
async function syncNames(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
