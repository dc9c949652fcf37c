import { crc32 } from "node:zlib";
import type { Disk, ReadDisk } from "./disk.ts";
import { damaged } from "./errors.ts";
import { formatVersion } from "./format.ts";

/** What a folder begins with: a small file that is replaced as a whole. */
export interface Current {
  readonly storeId: string;
  /** Grows with each opening, so that a process which should not write any more notices. */
  readonly epoch: number;
  /** The number of the snapshot to begin with. Undefined: none. */
  readonly snapshot: number | undefined;
  /** The number of the first segment to replay. */
  readonly segment: number;
  /** The sequence of the record before it. */
  readonly sequence: number;
}

const currentName = "CURRENT";
const newName = "CURRENT.new";

/** Undefined: the folder has none. */
export async function readCurrent(disk: ReadDisk): Promise<Current | undefined> {
  const bytes = await readCurrentBytes(disk);
  if (bytes === undefined) return undefined;
  const [body = "", check] = bytes.toString().split("\n");
  if (check !== String(crc32(body))) throw damaged(currentName, 0, "its checksum is wrong");
  return toCurrent(JSON.parse(body));
}

/** Undefined: the folder has none. */
export async function readCurrentBytes(disk: ReadDisk): Promise<Buffer | undefined> {
  if (!(await disk.list()).includes(currentName)) return undefined;
  const file = await disk.open(currentName);
  try {
    return await file.read(await file.size(), 0);
  } finally {
    await file.close();
  }
}

/** Replaces it: when this returns, a power failure leaves the new one, and before that one of the two. */
export async function writeCurrent(disk: Disk, current: Current): Promise<void> {
  const body = JSON.stringify({ format: formatVersion, ...current });
  const file = await disk.create(newName);
  try {
    file.write(Buffer.from(`${body}\n${crc32(body)}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(newName, currentName);
  await disk.syncFolder();
}

function toCurrent(value: unknown): Current {
  const { format, storeId, epoch, snapshot, segment, sequence } = isObject(value) ? value : {};
  const isKnown = format === formatVersion && typeof storeId === "string" && typeof epoch === "number";
  if (!isKnown || typeof segment !== "number" || typeof sequence !== "number")
    throw damaged(currentName, 0, `this release reads format ${formatVersion}, and the file says ${String(format)}`);
  return { storeId, epoch, segment, sequence, snapshot: typeof snapshot === "number" ? snapshot : undefined };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
