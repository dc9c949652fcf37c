import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { digestPart } from "./digest.ts";
import { reasonOf } from "./file-errors.ts";
import type { Digested, FileRef, Reading, Unread, Version } from "./job-types.ts";

/** The first bytes decide between text and binary: like git, a NUL byte means binary. */
const sniffBytes = 8_000;

/** A first look at a file. */
export async function lookAt(file: FileRef): Promise<(Version & { kind: "text" | "binary" }) | Unread> {
  return await withFile<(Version & { kind: "text" | "binary" }) | Unread>(file, async (handle, version) => {
    const beginning = await readAt(handle, 0, Math.min(sniffBytes, version.size + 1));
    // Files of /proc report a size of 0, so their end is unknown.
    if (beginning.length > version.size)
      return { kind: "unread", path: file.path, reason: "it is longer than its size" };
    return { ...version, kind: beginning.includes(0) ? "binary" : "text" };
  });
}

/** The result of reading one chunk: there is more, or the file is complete. */
export type Chunk =
  | { readonly kind: "more"; readonly bytes: Uint8Array; readonly next: Reading }
  | { readonly kind: "done"; readonly bytes: Uint8Array; readonly file: Digested };

/** Reads and digests the next chunk of a file, unless the file has changed since the first look. */
export async function readChunk(reading: Reading): Promise<Chunk | Unread> {
  const { path, size, modifiedMs, offset, chunkBytes, hashState } = reading;
  return await withFile<Chunk | Unread>(reading, async (handle, version) => {
    const length = Math.min(chunkBytes, size - offset);
    const bytes = await readAt(handle, offset, length);
    if (isOther(version, reading) || bytes.length < length) {
      return { kind: "unread", path, reason: "it changed while it was read" };
    }
    const end = offset + length;
    const part = digestPart(hashState, bytes, end === size);
    return "sha256" in part
      ? { kind: "done", bytes, file: { path, size, modifiedMs, ...part } }
      : { kind: "more", bytes, next: { ...reading, ...part, offset: end } };
  });
}

export function isOther(a: Version, b: Version): boolean {
  return a.size !== b.size || a.modifiedMs !== b.modifiedMs;
}

// If the file was replaced by a link or a pipe since the scan, do not follow it or wait for it. (Windows has no such flags.)
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns errors of the file system as a reason; throws all other errors. */
async function withFile<T>(
  { folder, path }: FileRef,
  read: (handle: FileHandle, version: Version) => Promise<T>,
): Promise<T | Unread> {
  try {
    const handle = await open(join(folder, path), openFlags);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return { kind: "unread", path, reason: "it is no longer a file" };
      return await read(handle, { size: stat.size, modifiedMs: stat.mtimeMs });
    } finally {
      await handle.close();
    }
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { kind: "unread", path, reason };
  }
}

/** Reads up to `length` bytes; a single read may return fewer. */
async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
