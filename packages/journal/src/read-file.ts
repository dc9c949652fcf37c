import type { ReadFile } from "./disk.ts";
import { headerBytes, readHead, recordHeadBytes, type RecordHead } from "./format.ts";

/** A record of a file. */
export interface ReadRecord extends RecordHead {
  readonly text: string;
  /** Where it ends. */
  readonly end: number;
}

const chunkBytes = 8 * 1024 * 1024;

/** The records from the beginning of a file on, as long as they are undamaged and their sequences rise by one from `after` on. */
export async function* readRecords(file: ReadFile, after: number): AsyncGenerator<ReadRecord, void> {
  let expected = after + 1;
  let begin = headerBytes;
  let wanted = chunkBytes;
  for (;;) {
    const data = await file.read(wanted, begin);
    let at = 0;
    for (let head = readHead(data, at); head?.sequence === expected; head = readHead(data, at)) {
      const body = at + recordHeadBytes;
      at = body + head.length;
      yield { ...head, text: data.toString("utf8", body, at), end: begin + at };
      expected += 1;
    }
    const isWhole = data.length < wanted;
    begin += at;
    if (at > 0 && !isWhole) wanted = chunkBytes;
    else if (isWhole) return;
    else wanted = wantedAt(data, wanted);
  }
}

/** A record may be larger than a chunk. */
function wantedAt(data: Buffer, wanted: number): number {
  return Math.max(2 * wanted, data.length < 4 ? 0 : Math.min(recordHeadBytes + data.readUInt32LE(0), 4 * wanted));
}

/** How many of these bytes come before the zeros at their end: a segment has room for more records. */
export function lengthWithoutRoom(data: Buffer): number {
  let length = data.length;
  while (length > 0 && data[length - 1] === 0) length -= 1;
  return length;
}

/** The undamaged records in bytes that begin with a damaged one: they are looked for byte by byte. */
export function* findRecords(data: Buffer, sequence: number): Generator<ReadRecord> {
  const most = sequence + Math.ceil(data.length / recordHeadBytes) + 1;
  for (let at = 0; at + recordHeadBytes < data.length; at += 1) {
    // Most places are none: the upper half of a sequence is small, and its lower half is near.
    if (data[at + 15] !== 0 || data[at + 14] !== 0) continue;
    const lower = data.readUInt32LE(at + 8) + data.readUInt32LE(at + 12) * 2 ** 32;
    if (lower <= sequence || lower > most) continue;
    const head = readHead(data, at);
    if (head === undefined) continue;
    const body = at + recordHeadBytes;
    const end = body + head.length;
    yield { ...head, text: data.toString("utf8", body, end), end };
    at = end - 1;
  }
}

/** All undamaged records of a file whose sequences rise, whatever is between them. `after` undefined: from any sequence on. */
export function* scanRecords(data: Buffer, after: number | undefined): Generator<ReadRecord & { readonly at: number }> {
  let last = after ?? 0;
  for (let at = headerBytes; at + recordHeadBytes < data.length;) {
    // Most places are none: the upper bytes of a sequence are zeros.
    const head = data[at + 15] === 0 && data[at + 14] === 0 ? readHead(data, at) : undefined;
    if (head === undefined || head.sequence <= last) {
      at += 1;
      continue;
    }
    const body = at + recordHeadBytes;
    const end = body + head.length;
    last = head.sequence;
    yield { ...head, at, text: data.toString("utf8", body, end), end };
    at = end;
  }
}
