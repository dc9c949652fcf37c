import { ChainwrightError, isChainwrightError } from "chainwright";
import { collectChanges, type Change } from "chainwright/change-log";
import { readCurrent, writeCurrent, type Current } from "./current.ts";
import type { Disk, ReadDisk } from "./disk.ts";
import { damaged, unavailable } from "./errors.ts";
import { fileHeader, headerBytes, segmentName, snapshotName, toRecord } from "./format.ts";
import { openDiskToRead, openRealDisk } from "./real-disk.ts";
import { replay, type Replayed, type Tail } from "./replay.ts";
import { endText } from "./rows.ts";
import { salvage as salvageFiles, type JournalLoss } from "./salvage.ts";
import { readSettled } from "./settled.ts";

/** What a folder holds. */
export interface JournalReport {
  /** Whether a store can be opened from it. */
  readonly ok: boolean;
  /** Undefined: nothing says it. */
  readonly storeId: string | undefined;
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
  const disk = await openFolder(folder);
  let read: { readonly current: Current; readonly replayed: Replayed } | undefined;
  let damage: JournalReport["damage"];
  try {
    await readSettled(disk, async () => {
      const current = await presentCurrent(disk, folder);
      const { replayed, changes } = replay(disk, current);
      read = { current, replayed };
      for await (const _ of changes);
    });
  } catch (error) {
    damage = damageOf(error);
  }
  const { rows = 0, snapshotBytes = 0, logBytes = 0, tail } = read?.replayed ?? {};
  const storeId = read?.current.storeId;
  return { ok: damage === undefined, storeId, rows, bytes: snapshotBytes + logBytes, tail, damage };
}

/** What a dump has written. */
export interface JournalDump {
  /** How many rows the new folder has. */
  readonly rows: number;
  /** What a salvage has left out, because it was not readable. Empty: nothing. */
  readonly lost: readonly JournalLoss[];
}

/**
 * Writes what a journal holds to a new folder, which a store can be opened from: a backup. The process that uses the journal may go on.
 * With `salvage` it leaves out what is damaged, where it would be refused otherwise, and reports what that was: chains may be missing, or
 * lack their last changes then.
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
  const disk = await openFolder(folder);
  const { storeId, changes, lost } = await readSettled(disk, () =>
    salvage ? salvageAll(disk) : readAll(disk, folder),
  );
  const target = await openRealDisk(to);
  if ((await target.list()).length > 0) throw unavailable(`${to} must be an empty folder, or none`);
  return { rows: await writeDump(target, { storeId, changes }), lost };
}

async function readAll(disk: ReadDisk, folder: string) {
  const current = await presentCurrent(disk, folder);
  const changes = await collectChanges(replay(disk, current).changes);
  return { storeId: current.storeId, changes, lost: [] };
}

async function salvageAll(disk: ReadDisk) {
  const current = await readCurrent(disk).catch((error: unknown) => {
    if (isChainwrightError(error, "journal-damaged")) return undefined;
    throw error;
  });
  const { storeId, changes, lost } = await salvageFiles({ disk, current });
  return { storeId, changes: await collectChanges(once(changes)), lost };
}

async function* once(changes: readonly Change[]) {
  yield changes;
}

const rowsPerRecord = 1_000;

/** Returns the number of its rows. */
async function writeDump(
  disk: Disk,
  { storeId, changes }: { readonly storeId: string; readonly changes: Iterable<unknown> },
): Promise<number> {
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
  return rows;
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

async function openFolder(folder: string): Promise<ReadDisk> {
  const disk = openDiskToRead(folder);
  try {
    await disk.list();
  } catch (error) {
    throw new ChainwrightError("invalid-input", `folder must be a folder that can be read; got ${folder}`, {
      cause: error,
    });
  }
  return disk;
}

async function presentCurrent(disk: ReadDisk, folder: string): Promise<Current> {
  const current = await readCurrent(disk);
  if (current === undefined) throw damaged("CURRENT", 0, `the file is missing in ${folder}`);
  return current;
}

function damageOf(error: unknown): JournalReport["damage"] {
  if (!isChainwrightError(error, "journal-damaged")) throw error;
  const { file, at } = error.details;
  return { file: String(file), at: Number(at), message: error.message };
}
