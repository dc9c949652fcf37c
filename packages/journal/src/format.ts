import { crc32 } from "node:zlib";

/*
 * The bytes of a journal, version 1. Numbers are little-endian.
 *
 * A file begins with 32 bytes: magic (4), version (4), number of the file (4), id of the store (16), crc32 of these (4).
 *
 * Then come records: length of the body (4), crc32 of all other bytes of the record (4), sequence (8), the sequence of the last record that was
 * known to be on the disk when this one was written (8), body. The sequence rises by one from record to record. The body is JSON text: a
 * list of changes, which are all kept or none. Behind the last record of a segment there may be zeros: room for more.
 */
export const formatVersion = 1;
export const headerBytes = 32;
export const recordHeadBytes = 24;
const magics = { log: "CWJ1", snapshot: "CWS1" } as const;

export type FileKind = keyof typeof magics;

export function fileHeader(kind: FileKind, number: number, storeId: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write(magics[kind], 0, "latin1");
  header.writeUInt32LE(formatVersion, 4);
  header.writeUInt32LE(number, 8);
  header.write(storeId.replaceAll("-", ""), 12, "hex");
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

export function isHeader(data: Buffer, kind: FileKind, number: number, storeId: string): boolean {
  return data.subarray(0, headerBytes).equals(fileHeader(kind, number, storeId));
}

/** What a header says. Undefined: it is not one of this version, or damaged. */
export function readHeader(data: Buffer, kind: FileKind): { number: number; storeId: string } | undefined {
  if (data.length < headerBytes) return undefined;
  const number = data.readUInt32LE(8);
  const storeId = data.toString("hex", 12, 28).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return isHeader(data, kind, number, storeId) ? { number, storeId } : undefined;
}

export interface RecordHead {
  readonly length: number;
  readonly sequence: number;
  /** All records up to this one were on the disk. */
  readonly synced: number;
}

/** A record of these changes, as JSON text. */
export function toRecord(text: string, { sequence, synced }: Pick<RecordHead, "sequence" | "synced">): Buffer {
  const length = Buffer.byteLength(text);
  const record = Buffer.allocUnsafe(recordHeadBytes + length);
  record.writeUInt32LE(length, 0);
  record.writeBigUInt64LE(BigInt(sequence), 8);
  record.writeBigUInt64LE(BigInt(synced), 16);
  record.write(text, recordHeadBytes, "utf8");
  record.writeUInt32LE(checksum(record, 0, length), 4);
  return record;
}

/** The head of a record that is whole and undamaged at a place. Undefined: there is none. */
export function readHead(data: Buffer, at: number): RecordHead | undefined {
  if (at + recordHeadBytes > data.length) return undefined;
  const length = data.readUInt32LE(at);
  // No record is empty, so zeros are none.
  if (length === 0 || at + recordHeadBytes + length > data.length) return undefined;
  if (checksum(data, at, length) !== data.readUInt32LE(at + 4)) return undefined;
  return {
    length,
    sequence: Number(data.readBigUInt64LE(at + 8)),
    synced: Number(data.readBigUInt64LE(at + 16)),
  };
}

function checksum(data: Buffer, at: number, length: number): number {
  const body = crc32(data.subarray(at + 8, at + recordHeadBytes + length));
  return crc32(data.subarray(at, at + 4), body);
}

export function segmentName(number: number): string {
  return `log-${number}`;
}

export function snapshotName(number: number): string {
  return `snap-${number}`;
}

/** The number in a name like `log-7`. Undefined: it is another one. */
export function numberOf(name: string, prefix: "log-" | "snap-"): number | undefined {
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : undefined;
}
