import type { Change } from "chainwright/change-log";
import { readCurrent, writeCurrent, type Current } from "./current.ts";
import type { Disk } from "./disk.ts";
import { unavailable } from "./errors.ts";
import { fileHeader, headerBytes, numberOf, snapshotName, toRecord } from "./format.ts";
import { endText } from "./rows.ts";
import type { Writer } from "./writer.ts";

interface SnapshotOptions {
  readonly disk: Disk;
  /** What the folder begins with now. */
  readonly current: Current;
  readonly writer: Pick<Writer, "cut" | "flush">;
  readonly content: () => Iterable<Change>;
}

/** After this time the event loop gets its turn. */
const sliceMs = 2;
/** How often the time is looked at, in changes. */
const changesPerLook = 32;
/** A slice ends with the change that reaches this many characters: they are also copied, summed and written at once. */
const sliceLength = 256 * 1024;
const syncEveryBytes = 16 * 1024 * 1024;

/**
 * Writes all that the store has to a new file, and lets the folder begin with it. The store is used meanwhile: what changes is in the
 * segment that begins with the snapshot, and is replayed after it. Returns what the folder begins with then, and the size of the file.
 */
export async function takeSnapshot(
  options: SnapshotOptions,
): Promise<{ readonly current: Current; readonly bytes: number }> {
  const { disk, current, writer, content } = options;
  await checkEpoch(disk, current);
  const { segment, sequence } = await writer.cut();
  const bytes = await writeContent(disk, { number: segment, storeId: current.storeId }, content());
  // The snapshot may hold a part of a commit that was made meanwhile: the rest of it must be on the disk as well.
  await writer.flush();
  const next = { ...current, snapshot: segment, segment, sequence };
  await checkEpoch(disk, current);
  await writeCurrent(disk, next);
  await removeOld(disk, next);
  return { current: next, bytes };
}

/** Deletes the files that the folder does not begin with. */
export async function removeOld(disk: Disk, { snapshot, segment }: Current): Promise<void> {
  for (const name of await disk.list()) {
    const log = numberOf(name, "log-");
    const snap = numberOf(name, "snap-");
    const isOld = (log !== undefined && log < segment) || (snap !== undefined && snap !== snapshot);
    if (isOld) await disk.remove(name);
  }
}

async function checkEpoch(disk: Disk, { epoch }: Current): Promise<void> {
  const found = await readCurrent(disk);
  if (found?.epoch !== epoch) throw unavailable("another process has opened the journal, so this one writes no more");
}

async function writeContent(
  disk: Disk,
  { number, storeId }: { readonly number: number; readonly storeId: string },
  content: Iterable<Change>,
): Promise<number> {
  const file = await disk.create(snapshotName(number));
  let end = headerBytes;
  let [rows, sequence, synced] = [0, 0, 0];
  const write = (text: string): void => {
    sequence += 1;
    const record = toRecord(text, { sequence, synced: 0 });
    file.write(record, end);
    end += record.length;
  };
  try {
    file.write(fileHeader("snapshot", number, storeId), 0);
    for (const slice of slicesOf(content)) {
      rows += slice.length;
      write(`[${slice.join(",")}]`);
      if (end - synced > syncEveryBytes) {
        await file.sync();
        synced = end;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    write(endText(rows));
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.syncFolder();
  return end;
}

/** The texts of as many changes as can be read in the time of a slice. */
function* slicesOf(content: Iterable<Change>): Generator<readonly string[]> {
  let slice: string[] = [];
  let length = 0;
  let begunAt = performance.now();
  for (const change of content) {
    const text = JSON.stringify(change);
    slice.push(text);
    length += text.length;
    const isLate = slice.length % changesPerLook === 0 && performance.now() - begunAt >= sliceMs / 2;
    if (!isLate && length < sliceLength) continue;
    yield slice;
    [slice, length] = [[], 0];
    begunAt = performance.now();
  }
  if (slice.length > 0) yield slice;
}
