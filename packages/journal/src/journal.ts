import { randomUUID } from "node:crypto";
import type { Change, ChangeLog } from "chainwright/change-log";
import { readCurrent, writeCurrent, type Current } from "./current.ts";
import type { Disk } from "./disk.ts";
import { damaged } from "./errors.ts";
import { headerBytes, numberOf } from "./format.ts";
import { replay, type ReplayProgress, type Tail } from "./replay.ts";
import { createSegments, type Segments } from "./segments.ts";
import { removeOld, takeSnapshot } from "./snapshot.ts";
import { createSyncPace, type SyncPace } from "./sync-pace.ts";
import { createWriter, type Writer } from "./writer.ts";

export interface JournalOptions {
  readonly disk: Disk;
  /** Undefined: calls wait for the disk. */
  readonly intervalMs: number | undefined;
  readonly segmentBytes?: number | undefined;
  /** How far a segment is filled with zeros ahead of its records. Default: some where calls wait for the disk. */
  readonly roomBytes?: number | undefined;
  /** Which syncs are made in this thread. Default: those of a fast disk. */
  readonly pace?: SyncPace | undefined;
  /** A snapshot is taken when the log has become larger than this, and twice as large as the last snapshot. */
  readonly snapshotBytes?: number | undefined;
  readonly onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Called with what was cut from the end of the log: a write that was never acknowledged. */
  readonly onCut?: ((tail: Tail) => void) | undefined;
}

/** A log of changes in the files of a folder, which is locked by this process. */
export interface Journal extends ChangeLog {
  /** Takes a snapshot now; one that is under way is enough. */
  snapshot(): Promise<void>;
}

const mebibyte = 1024 * 1024;
/** Filling it takes about a millisecond. */
const defaultRoomBytes = mebibyte / 4;
/** A smaller log is replayed faster than a snapshot is written. */
const worthClosingBytes = mebibyte;

interface State {
  readonly options: JournalOptions;
  current: Current;
  /** The size of the last snapshot, and of what was replayed after it. */
  snapshotBytes: number;
  logBytes: number;
  segments: Segments | undefined;
  writer: Writer | undefined;
  content: () => Iterable<Change>;
  snapshotting: Promise<void> | undefined;
}

export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { disk } = options;
  const current = (await readCurrent(disk)) ?? (await createFolder(disk));
  const none = { segments: undefined, writer: undefined, snapshotting: undefined };
  const state: State = { options, current, snapshotBytes: 0, logBytes: 0, ...none, content: () => [] };
  return {
    storeId: current.storeId,
    restore: () => restore(state),
    begin: (content) => {
      const { segments, logBytes } = state;
      if (segments === undefined) throw new TypeError("the journal was not read to its end");
      segments.countFrom(logBytes);
      state.content = content;
      const onWritten = () => {
        snapshotIfLarge(state);
      };
      // The disk has other work then, so a sync may take long.
      const isDiskBusy = () => state.snapshotting !== undefined;
      const { intervalMs, pace = createSyncPace() } = options;
      state.writer = createWriter({ segments, intervalMs, onWritten, isDiskBusy, pace });
    },
    check: () => state.writer?.check(),
    append: (changes) => state.writer?.append(changes),
    settled: () => state.writer?.settled(),
    snapshot: () => snapshotOnce(state),
    close: () => close(state),
  };
}

async function* restore(state: State): AsyncGenerator<readonly Change[], void> {
  const { disk, intervalMs, onProgress, onCut, segmentBytes = 64 * mebibyte } = state.options;
  const roomBytes = intervalMs === undefined ? (state.options.roomBytes ?? defaultRoomBytes) : 0;
  const { replayed, changes } = replay(disk, state.current, { onProgress });
  yield* changes;
  const { tail, cut } = replayed;
  if (cut !== undefined) await cutAt(disk, cut);
  if (tail !== undefined) onCut?.(tail);
  state.snapshotBytes = replayed.snapshotBytes;
  state.logBytes = replayed.logBytes;
  state.segments = await createSegments({
    disk,
    storeId: state.current.storeId,
    after: replayed,
    segmentBytes,
    roomBytes,
  });
  state.current = { ...state.current, epoch: state.current.epoch + 1 };
  await writeCurrent(disk, state.current);
  await removeOld(disk, state.current);
}

/** One that is under way is enough. */
function snapshotOnce(state: State): Promise<void> {
  state.snapshotting ??= snapshot(state).finally(() => {
    state.snapshotting = undefined;
  });
  return state.snapshotting;
}

async function snapshot(state: State): Promise<void> {
  const { options, current, writer, content } = state;
  if (writer === undefined) return;
  const taken = await takeSnapshot({ disk: options.disk, current, writer, content });
  state.current = taken.current;
  state.snapshotBytes = taken.bytes;
  state.segments?.countFrom(0);
}

function snapshotIfLarge(state: State): void {
  const { options, segments, snapshotBytes } = state;
  const worth = Math.max(options.snapshotBytes ?? 16 * mebibyte, 2 * snapshotBytes);
  if (segments === undefined || segments.bytes() < worth) return;
  snapshotOnce(state).catch((error: unknown) => {
    state.writer?.fail(error);
  });
}

async function close(state: State): Promise<void> {
  const { writer, segments } = state;
  if (writer === undefined || segments === undefined) return;
  try {
    await state.snapshotting?.catch(() => {});
    await writer.flush();
    if (segments.bytes() > Math.max(worthClosingBytes, state.snapshotBytes / 2)) await snapshotOnce(state);
  } finally {
    await segments.close();
  }
}

/** The first file of a journal. */
async function createFolder(disk: Disk): Promise<Current> {
  for (const name of await disk.list()) {
    if (numberOf(name, "snap-") === undefined && numberOf(name, "log-") === undefined) continue;
    const file = await disk.open(name);
    const size = await file.size();
    await file.close();
    // A process that was killed while it created the folder leaves an empty segment at most.
    if (size > headerBytes) throw damaged("CURRENT", 0, `the file is missing, and ${name} is there`);
    await disk.remove(name);
  }
  const current = { storeId: randomUUID(), epoch: 0, snapshot: undefined, segment: 1, sequence: 0 };
  const segments = await createSegments({
    disk,
    storeId: current.storeId,
    after: { segment: 0, sequence: 0 },
    segmentBytes: headerBytes,
    roomBytes: 0,
  });
  await segments.close();
  await writeCurrent(disk, current);
  return current;
}

/** Cuts what is behind the last record, for good: a later record must not be read after it. */
async function cutAt(disk: Disk, { file: name, at }: Omit<Tail, "bytes">): Promise<void> {
  if (at < headerBytes) return;
  const file = await disk.open(name);
  try {
    await file.truncate(at);
    await file.sync();
  } finally {
    await file.close();
  }
}
