import type { Disk, DiskFile } from "./disk.ts";
import { fileHeader, headerBytes, segmentName, toRecord } from "./format.ts";

/** The segment that is written, and the step to the next one. */
export interface Segments {
  /** The number of the segment that is written. */
  number(): number;
  /** The sequence of the last record. */
  sequence(): number;
  /** The bytes that all segments have got since `countFrom` was called. */
  bytes(): number;
  countFrom(bytes: number): void;
  isFull(): boolean;
  hasUnsynced(): boolean;
  write(text: string): void;
  sync(): Promise<void>;
  /** Syncs this segment, and begins another one. Nothing may be written meanwhile. Returns its number. */
  next(): Promise<number>;
  close(): Promise<void>;
}

interface SegmentsOptions {
  readonly disk: Disk;
  readonly storeId: string;
  /** The last segment that there is, and the sequence of its last record. */
  readonly after: { readonly segment: number; readonly sequence: number };
  readonly segmentBytes: number;
}

/** Begins a new segment after those that there are. */
export async function createSegments({ disk, storeId, after, segmentBytes }: SegmentsOptions): Promise<Segments> {
  let { sequence } = after;
  let synced = sequence;
  let number = after.segment + 1;
  let file = await begin({ disk, storeId }, number);
  let end = headerBytes;
  let bytes = 0;

  // A file is not closed while it is synced.
  let turn = Promise.resolve();
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const done = turn.then(act);
    turn = done.catch(() => {});
    return done;
  };
  const sync = () =>
    inTurn(async () => {
      const upTo = sequence;
      await file.sync();
      synced = Math.max(synced, upTo);
    });
  return {
    number: () => number,
    sequence: () => sequence,
    bytes: () => bytes,
    countFrom: (from) => {
      bytes = from;
    },
    isFull: () => end >= segmentBytes,
    hasUnsynced: () => synced < sequence,
    write: (text) => {
      const record = toRecord(text, { sequence: sequence + 1, synced });
      file.write(record, end);
      sequence += 1;
      end += record.length;
      bytes += record.length;
    },
    sync,
    next: async () => {
      // What is in an earlier segment counts as being on the disk.
      if (synced < sequence) await sync();
      const created = await begin({ disk, storeId }, number + 1);
      await inTurn(() => file.close());
      [file, number, end] = [created, number + 1, headerBytes];
      return number;
    },
    close: () => inTurn(() => file.close()),
  };
}

async function begin({ disk, storeId }: Pick<SegmentsOptions, "disk" | "storeId">, number: number): Promise<DiskFile> {
  const file = await disk.create(segmentName(number));
  file.write(fileHeader("log", number, storeId), 0);
  await file.sync();
  await disk.syncFolder();
  return file;
}
