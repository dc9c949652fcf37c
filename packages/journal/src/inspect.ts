import { collectChanges } from "chainwright/change-log";
import { isChainwrightError } from "chainwright";
import { readCurrent, writeCurrent, type Current } from "./current.ts";
import type { Disk } from "./disk.ts";
import { damaged, unavailable } from "./errors.ts";
import { fileHeader, headerBytes, segmentName, snapshotName, toRecord } from "./format.ts";
import { openRealDisk } from "./real-disk.ts";
import { replay, type Tail } from "./replay.ts";
import { endText } from "./rows.ts";

/** What a folder holds. */
export interface JournalReport {
  /** Whether a store can be opened from it. */
  readonly ok: boolean;
  readonly storeId: string;
  /** How many changes of rows were read. */
  readonly rows: number;
  readonly bytes: number;
  /** What is behind the last record and would be cut, because no one was told of it. Undefined: nothing. */
  readonly tail: Tail | undefined;
  /** Why the folder is refused. Undefined: it is not. */
  readonly damage: { readonly file: string; readonly at: number; readonly message: string } | undefined;
}

/**
 * Reads a journal from its beginning to its end and changes nothing. The process that uses it may go on.
 *
 * @example
 * import { verifyJournal } from "@chainwright/journal";
 *
 * const { ok, damage } = await verifyJournal({ folder: "./jobs" });
 * if (!ok) console.error(damage?.message);
 */
export async function verifyJournal({ folder }: { readonly folder: string }): Promise<JournalReport> {
  const { disk, current } = await openToRead(folder);
  const { replayed, changes } = replay(disk, current, { onDamage: "refuse" });
  let damage: JournalReport["damage"];
  try {
    for await (const _ of changes);
  } catch (error) {
    if (!isChainwrightError(error, "journal-damaged")) throw error;
    const { file, at } = error.details;
    damage = { file: String(file), at: Number(at), message: error.message };
  }
  const { rows, snapshotBytes, logBytes, tail } = replayed;
  return { ok: damage === undefined, storeId: current.storeId, rows, bytes: snapshotBytes + logBytes, tail, damage };
}

/** What a dump has written. */
export interface JournalDump {
  /** How many rows the new folder has. */
  readonly rows: number;
}

/**
 * Writes what a journal holds to a new folder, which a store can be opened from: a backup. The process that uses the journal may go on.
 * With `salvage` it leaves out what is damaged, where it would be refused otherwise: chains may lack their last changes then.
 *
 * @example
 * import { dumpJournal } from "@chainwright/journal";
 *
 * await dumpJournal({ folder: "./jobs", to: "./jobs-backup" });
 */
export async function dumpJournal({
  folder,
  to,
  salvage = false,
}: {
  readonly folder: string;
  readonly to: string;
  readonly salvage?: boolean | undefined;
}): Promise<JournalDump> {
  const { disk, current } = await openToRead(folder);
  const target = await openRealDisk(to);
  if ((await target.list()).length > 0) throw unavailable(`${to} must be an empty folder, or none`);
  const { changes } = replay(disk, current, { onDamage: salvage ? "salvage" : "refuse" });
  return writeDump(target, current, await collectChanges(changes));
}

const rowsPerRecord = 1_000;

async function writeDump(disk: Disk, { storeId }: Current, changes: Iterable<unknown>): Promise<JournalDump> {
  const file = await disk.create(snapshotName(1));
  let [rows, sequence, end] = [0, 0, headerBytes];
  const write = (text: string): void => {
    sequence += 1;
    const record = toRecord(text, { sequence, synced: 0 });
    file.write(record, end);
    end += record.length;
  };
  file.write(fileHeader("snapshot", 1, storeId), 0);
  for (const part of partsOf(changes)) {
    rows += part.length;
    write(JSON.stringify(part));
  }
  write(endText(rows));
  await file.sync();
  await file.close();
  const segment = await disk.create(segmentName(1));
  segment.write(fileHeader("log", 1, storeId), 0);
  await segment.sync();
  await segment.close();
  await disk.syncFolder();
  await writeCurrent(disk, { storeId, epoch: 0, snapshot: 1, segment: 1, sequence: 0 });
  return { rows };
}

function* partsOf(changes: Iterable<unknown>): Generator<readonly unknown[]> {
  let part: unknown[] = [];
  for (const change of changes) {
    part.push(change);
    if (part.length < rowsPerRecord) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

async function openToRead(folder: string): Promise<{ readonly disk: Disk; readonly current: Current }> {
  const disk = await openRealDisk(folder);
  const current = await readCurrent(disk);
  if (current === undefined) throw damaged("CURRENT", 0, `the file is missing in ${folder}`);
  return { disk, current };
}
