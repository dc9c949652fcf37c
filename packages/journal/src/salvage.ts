import { randomUUID } from "node:crypto";
import type { Change } from "chainwright/change-log";
import { isBeingWritten } from "./being-written.ts";
import type { Current } from "./current.ts";
import type { ReadDisk } from "./disk.ts";
import { headerBytes, numberOf, readHeader, segmentName, snapshotName, type FileKind } from "./format.ts";
import { lengthWithoutRoom, scanRecords } from "./read-file.ts";
import { toChanges, toEnd } from "./rows.ts";

/** A part of a journal that a salvage has left out. */
export interface JournalLoss {
  readonly file: string;
  readonly at: number;
  /** 0 where nothing can be left out, because it is missing. */
  readonly bytes: number;
  readonly why: string;
}

interface SalvageOptions {
  readonly disk: ReadDisk;
  /** Undefined: CURRENT is missing or damaged. */
  readonly current: Current | undefined;
}

/** What is readable in a folder, whatever is damaged. */
export interface Salvaged {
  readonly storeId: string;
  readonly changes: readonly Change[];
  readonly lost: readonly JournalLoss[];
}

export async function salvage({ disk, current }: SalvageOptions): Promise<Salvaged> {
  const files = await readFiles(disk, current);
  const storeId = current?.storeId ?? files.find(({ header }) => header !== undefined)?.header?.storeId ?? randomUUID();
  const changes: Change[] = [];
  const lost: JournalLoss[] = [];
  if (current === undefined) lost.push({ file: "CURRENT", at: 0, bytes: 0, why: "it is missing or damaged" });
  const chosen = choose(files, current);
  for (const name of chosen.missing) lost.push({ file: name, at: 0, bytes: 0, why: "the file is missing" });
  let sequence = current?.sequence;
  for (const file of chosen.files) {
    const after = file.kind === "log" ? sequence : 0;
    const end = file === chosen.files.at(-1) ? await endOf(disk, file, take(file, { storeId, after }).lost) : undefined;
    const taken = take({ ...file, data: file.data.subarray(0, end) }, { storeId, after });
    changes.push(...taken.changes.flat());
    lost.push(...taken.lost);
    if (file.kind === "log") sequence = taken.sequence;
  }
  return { storeId, changes, lost };
}

/** Where the part of the last file ends that was not written while it was read. Undefined: at its end. */
async function endOf(
  disk: ReadDisk,
  { name, data }: FoundFile,
  lost: readonly JournalLoss[],
): Promise<number | undefined> {
  for (const { at } of lost) if (await isBeingWritten(disk, { name, at, seen: data.subarray(at) })) return at;
  return undefined;
}

interface FoundFile {
  readonly name: string;
  readonly kind: FileKind;
  readonly number: number;
  readonly data: Buffer;
  /** Undefined: it is damaged. */
  readonly header: { readonly number: number; readonly storeId: string } | undefined;
}

/** Snapshots before segments, each by number. Those that CURRENT does not name may be deleted meanwhile. */
async function readFiles(disk: ReadDisk, current: Current | undefined): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const names = await disk.list();
  for (const [kind, prefix] of [
    ["snapshot", "snap-"],
    ["log", "log-"],
  ] as const) {
    const numbers = names
      .flatMap((name) => numberOf(name, prefix) ?? [])
      .filter((number) => isNamed({ kind, number }, current))
      .sort((left, right) => left - right);
    for (const number of numbers) {
      const name = `${prefix}${number}`;
      const file = await disk.open(name);
      try {
        const data = await file.read(await file.size(), 0);
        found.push({ name, kind, number, data, header: readHeader(data, kind) });
      } finally {
        await file.close();
      }
    }
  }
  return found;
}

function isNamed({ kind, number }: Pick<FoundFile, "kind" | "number">, current: Current | undefined): boolean {
  if (current === undefined) return true;
  return kind === "snapshot" ? number === current.snapshot : number >= current.segment;
}

/**
 * The files that the folder begins with and those after them. Without CURRENT these are the newest snapshot that is whole and the
 * segments from its number on, or else all that there is.
 */
function choose(files: readonly FoundFile[], current: Current | undefined) {
  const snapshots = files.filter(({ kind }) => kind === "snapshot");
  const whole = snapshots.findLast(isWhole)?.number;
  const first = current?.segment ?? whole ?? 0;
  const from = current === undefined ? whole : current.snapshot;
  const chosen = snapshots.filter(({ number }) => number === from || (current === undefined && whole === undefined));
  const segments = files.filter(({ kind, number }) => kind === "log" && number >= first);
  const begin = current?.segment ?? whole ?? segments[0]?.number ?? 1;
  const end = Math.max(begin, ...segments.map(({ number }) => number));
  const isThere = new Set([...chosen, ...segments].map(({ name }) => name));
  const wanted = Array.from({ length: end - begin + 1 }, (_, index) => segmentName(begin + index));
  if (from !== undefined) wanted.unshift(snapshotName(from));
  return { files: [...chosen, ...segments], missing: wanted.filter((name) => !isThere.has(name)) };
}

/** Whether the last record of a snapshot is its end. */
function isWhole(file: FoundFile): boolean {
  return file.header !== undefined && take(file, { storeId: file.header.storeId, after: 0 }).lost.length === 0;
}

interface Taken {
  readonly changes: readonly (readonly Change[])[];
  readonly lost: readonly JournalLoss[];
  /** Of the last record. Undefined: it has none, and the one before is not known. */
  readonly sequence: number | undefined;
}

/** The records of a file that are readable, after a sequence. Undefined: any. */
function take(file: FoundFile, { storeId, after }: { storeId: string; after: number | undefined }): Taken {
  const { name, kind, number, data, header } = file;
  const changes: (readonly Change[])[] = [];
  const lost: JournalLoss[] = [];
  const lose = (at: number, bytes: number, why: string) => lost.push({ file: name, at, bytes, why });
  if (header !== undefined && (header.storeId !== storeId || header.number !== number)) {
    lose(0, data.length, "it is a file of another store, or has another number");
    return { changes, lost, sequence: after };
  }
  if (header === undefined) lose(0, Math.min(headerBytes, data.length), "its beginning is not what was written");
  let [end, sequence, isEnded] = [headerBytes, after, kind === "log"];
  for (const record of scanRecords(data, after)) {
    if (record.at > end) lose(end, record.at - end, "no record is readable");
    if (sequence !== undefined && record.sequence > sequence + 1)
      lose(record.at, 0, `${record.sequence - sequence - 1} records before it are missing`);
    [end, sequence] = [record.end, record.sequence];
    if (kind === "snapshot" && toEnd(record.text) !== undefined) {
      isEnded = true;
      break;
    }
    changes.push(toChanges(record.text));
  }
  const length = kind === "log" ? lengthWithoutRoom(data) : data.length;
  if (length > end) lose(end, length - end, "no record is readable");
  else if (!isEnded) lose(end, 0, "its end is missing");
  return { changes, lost, sequence };
}
