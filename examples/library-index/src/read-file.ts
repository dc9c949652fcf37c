import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { digestPart } from "./digest.ts";
import { reasonOf } from "./file-errors.ts";
import type { Digested, FileRef, Reading, Unread, Version } from "./job-types.ts";

/** Bytes of the beginning that are looked at to tell text from binary: a NUL byte makes it binary, as git has it. */
const sniffBytes = 8_000;

/** A first look at a file. */
export async function lookAt(file: FileRef): Promise<(Version & { kind: "text" | "binary" }) | Unread> {
  return await withFile<(Version & { kind: "text" | "binary" }) | Unread>(file, async (handle, version) => {
    const beginning = await readAt(handle, 0, Math.min(sniffBytes, version.size + 1));
    // As the files of /proc do: there is no telling where they end.
    if (beginning.length > version.size)
      return { kind: "unread", path: file.path, reason: "it is longer than it says" };
    return { ...version, kind: beginning.includes(0) ? "binary" : "text" };
  });
}

/** What came of reading one chunk: there is more, or that was all. */
export type Chunk =
  | { readonly kind: "more"; readonly bytes: Uint8Array; readonly next: Reading }
  | { readonly kind: "done"; readonly bytes: Uint8Array; readonly file: Digested };

/** Reads and digests the next chunk of a file, as long as the file is still the one that was first looked at. */
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

// A link or a pipe put in the file's place since the scan is neither followed nor waited for. (Windows knows no such flags.)
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What the file system says against it is an answer like any other; what is our own mistake is thrown. */
async function withFile<T>(
  { folder, path }: FileRef,
  read: (handle: FileHandle, version: Version) => Promise<T>,
): Promise<T | Unread> {
  try {
    const handle = await open(join(folder, path), openFlags);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return { kind: "unread", path, reason: "it is not a file any more" };
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

/** As many bytes as there are, up to `length`: one read may bring fewer. */
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
