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
  /** The same in this thread. No other sync may be under way. */
  syncNow(): void;
  /** Whether the file has become larger since its last sync, which makes the next one slower. */
  hasGrown(): boolean;
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
  /**
   * A segment is filled with so many zeros ahead of its records. A sync of bytes that a file has already changes nothing else of it, which
   * takes half the time.
   */
  readonly roomBytes: number;
}

/** A file that is written. */
interface Open {
  readonly number: number;
  readonly file: DiskFile;
  /** Where the last record ends. */
  end: number;
  /** The size of the file, with the room that it has. */
  size: number;
  syncedSize: number;
}

/** Begins a new segment after those that there are. */
export async function createSegments(options: SegmentsOptions): Promise<Segments> {
  const { after, segmentBytes, roomBytes } = options;
  let { sequence } = after;
  let synced = sequence;
  let open = await begin(options, after.segment + 1);
  let bytes = 0;
  const room = Buffer.alloc(roomBytes);

  // A file is not closed while it is synced.
  let turn = Promise.resolve();
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const done = turn.then(act);
    turn = done.catch(() => {});
    return done;
  };
  const sync = () =>
    inTurn(async () => {
      const [upTo, { size }] = [sequence, open];
      await open.file.sync();
      synced = Math.max(synced, upTo);
      open.syncedSize = Math.max(open.syncedSize, size);
    });
  return {
    number: () => open.number,
    sequence: () => sequence,
    bytes: () => bytes,
    countFrom: (from) => {
      bytes = from;
    },
    isFull: () => open.end >= segmentBytes,
    hasUnsynced: () => synced < sequence,
    write: (text) => {
      const record = toRecord(text, { sequence: sequence + 1, synced });
      open.file.write(record, open.end);
      sequence += 1;
      open.end += record.length;
      bytes += record.length;
      if (open.end <= open.size) return;
      if (roomBytes > 0) open.file.write(room, open.end);
      open.size = open.end + roomBytes;
    },
    sync,
    syncNow: () => {
      open.file.syncNow();
      synced = sequence;
      open.syncedSize = open.size;
    },
    hasGrown: () => open.size > open.syncedSize,
    next: async () => {
      // What is in an earlier segment counts as being on the disk.
      if (synced < sequence) await sync();
      const next = await begin(options, open.number + 1);
      await inTurn(() => end(open));
      open = next;
      return open.number;
    },
    close: () => inTurn(() => end(open)),
  };
}

async function begin({ disk, storeId, roomBytes }: SegmentsOptions, number: number): Promise<Open> {
  const file = await disk.create(segmentName(number));
  file.write(Buffer.concat([fileHeader("log", number, storeId), Buffer.alloc(roomBytes)]), 0);
  await file.sync();
  await disk.syncFolder();
  const size = headerBytes + roomBytes;
  return { number, file, end: headerBytes, size, syncedSize: size };
}

/** Closes a file without the room that it has left. A process that is killed leaves it: zeros are no records. */
async function end({ file, end: at, size }: Open): Promise<void> {
  try {
    if (size > at) await file.truncate(at);
  } finally {
    await file.close();
  }
}
