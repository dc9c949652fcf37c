import type { Change } from "chainwright/change-log";
import { isBeingWritten } from "./being-written.ts";
import type { Current } from "./current.ts";
import type { ReadDisk, ReadFile } from "./disk.ts";
import { damaged } from "./errors.ts";
import { headerBytes, isHeader, numberOf, segmentName, snapshotName } from "./format.ts";
import { findRecords, lengthWithoutRoom, readRecords } from "./read-file.ts";
import { toChanges, toEnd } from "./rows.ts";

/** What is read so far. */
export interface ReplayProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Where the log ends. */
export interface Replayed {
  /** The number of the last segment, and the sequence of the last record. */
  segment: number;
  sequence: number;
  /** What is behind the last record: it was never acknowledged. Undefined: nothing. */
  tail: Tail | undefined;
  /** Where to cut the last segment: behind its last record there is a tail, room for more, or both. Undefined: nothing. */
  cut: Omit<Tail, "bytes"> | undefined;
  /** The size of the snapshot, and of the segments after it. */
  snapshotBytes: number;
  logBytes: number;
  rows: number;
}

/** What is behind the last record of a log. */
export interface Tail {
  readonly file: string;
  readonly at: number;
  readonly bytes: number;
}

export interface ReplayOptions {
  readonly onProgress?: ((progress: ReplayProgress) => void) | undefined;
}

/** Reads the snapshot and the segments of a folder; changes nothing. `replayed` is right when it has ended. */
export function replay(disk: ReadDisk, current: Current, options: ReplayOptions = {}) {
  const replayed: Replayed = {
    segment: current.segment,
    sequence: current.sequence,
    tail: undefined,
    cut: undefined,
    snapshotBytes: 0,
    logBytes: 0,
    rows: 0,
  };
  async function* read(): AsyncGenerator<readonly Change[], void> {
    const segments = await segmentsFrom(disk, current);
    const report = await reporter(disk, { current, segments, replayed }, options);
    if (current.snapshot !== undefined) yield* readSnapshot({ disk, current, replayed }, current.snapshot, report);
    for (const number of segments) {
      const isLast = number === segments.at(-1);
      yield* readSegment({ disk, current, replayed }, { number, isLast }, report);
    }
  }
  return { replayed, changes: read() };
}

interface Reading {
  readonly disk: ReadDisk;
  readonly current: Current;
  readonly replayed: Replayed;
}

/** The numbers of the segments, which have no gap. */
async function segmentsFrom(disk: ReadDisk, { segment }: Current): Promise<readonly number[]> {
  const found = (await disk.list()).flatMap((name) => numberOf(name, "log-") ?? []);
  const numbers = found.filter((number) => number >= segment).sort((left, right) => left - right);
  const missing =
    numbers.length === 0 ? segment : numbers.findIndex((number, index) => number !== segment + index) + segment;
  if (numbers.length === 0 || missing >= segment) throw damaged(segmentName(missing), 0, "the file is missing");
  return numbers;
}

async function* readSnapshot(
  { disk, current, replayed }: Reading,
  number: number,
  report: (rows: number, bytes: number) => void,
): AsyncGenerator<readonly Change[], void> {
  const name = snapshotName(number);
  const file = await openNamed(disk, name);
  try {
    replayed.snapshotBytes = await file.size();
    if (!isHeader(await file.read(headerBytes, 0), "snapshot", number, current.storeId))
      throw damaged(name, 0, wrongHeader);
    let end = headerBytes;
    for await (const record of readRecords(file, 0)) {
      end = record.end;
      const rows = toEnd(record.text);
      if (rows === replayed.rows) return;
      const changes = toChanges(record.text);
      replayed.rows += changes.length;
      report(changes.length, end);
      yield changes;
    }
    throw damaged(name, end, "a record is not what was written, or is missing");
  } finally {
    await file.close();
  }
}

async function* readSegment(
  { disk, current, replayed }: Reading,
  { number, isLast }: { readonly number: number; readonly isLast: boolean },
  report: (rows: number, bytes: number) => void,
): AsyncGenerator<readonly Change[], void> {
  const name = segmentName(number);
  const file = await disk.open(name);
  try {
    const size = await file.size();
    let end = 0;
    // The file that the folder begins with was whole before it was named.
    const isNamed = number === current.segment;
    const header = await file.read(headerBytes, 0);
    if (isNamed && !isHeader(header, "log", number, current.storeId)) throw damaged(name, 0, wrongHeader);
    if (isHeader(header, "log", number, current.storeId)) {
      end = headerBytes;
      for await (const record of readRecords(file, replayed.sequence)) {
        end = record.end;
        replayed.sequence = record.sequence;
        const changes = toChanges(record.text);
        replayed.rows += changes.length;
        report(changes.length, replayed.snapshotBytes + replayed.logBytes + end);
        yield changes;
      }
    }
    // One whose beginning is missing is written again.
    replayed.segment = end === 0 ? number - 1 : number;
    replayed.logBytes += end;
    const rest = await file.read(size - end, end);
    const bytes = lengthWithoutRoom(rest);
    replayed.cut = rest.length === 0 ? undefined : { file: name, at: end };
    if (bytes === 0 || (isLast && (await isBeingWritten(disk, { name, at: end, seen: rest })))) return;
    refuseDamage({ name, end, rest }, { isLast, sequence: replayed.sequence });
    replayed.tail = { file: name, at: end, bytes };
  } finally {
    await file.close();
  }
}

interface Ending {
  readonly name: string;
  readonly end: number;
  /** What is behind it. */
  readonly rest: Buffer;
}

/**
 * What is behind the last good record was not acknowledged if nothing says that it was on the disk: a write that the power cut
 * short. Records that were written before their predecessors were synced may be there without them.
 */
function refuseDamage(
  { name, end, rest }: Ending,
  { isLast, sequence }: { readonly isLast: boolean; readonly sequence: number },
): void {
  const why = "a record is not what was written";
  // A segment is synced before the next one begins.
  if (!isLast) throw damaged(name, end, why);
  for (const { synced } of findRecords(rest, sequence)) if (synced > sequence) throw damaged(name, end, why);
}

const wrongHeader = "its beginning is not that of a file of this store";

async function openNamed(disk: ReadDisk, name: string): Promise<ReadFile> {
  if (!(await disk.list()).includes(name)) throw damaged(name, 0, "the file is missing");
  return disk.open(name);
}

async function reporter(
  disk: ReadDisk,
  { current, segments, replayed }: { current: Current; segments: readonly number[]; replayed: Replayed },
  { onProgress }: ReplayOptions,
): Promise<(rows: number, bytes: number) => void> {
  if (onProgress === undefined) return () => {};
  const names = segments.map(segmentName);
  if (current.snapshot !== undefined) names.push(snapshotName(current.snapshot));
  const totalBytes = await bytesOf(disk, names);
  return (_rows, bytes) => {
    onProgress({ rows: replayed.rows, bytes, totalBytes });
  };
}

async function bytesOf(disk: ReadDisk, names: readonly string[]): Promise<number> {
  let total = 0;
  for (const name of names) {
    const file = await openNamed(disk, name);
    total += await file.size();
    await file.close();
  }
  return total;
}
