import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLoggedStateAdapter, type Change, type ChangeLog } from "chainwright/change-log";
import { expect, onTestFinished } from "vitest";
import { openJournal } from "../src/journal.ts";
import { createFakeDisk, type FakeDisk } from "./fake-disk.ts";

/** A folder that is deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store on the files of a disk, and all that it would keep. */
async function openOn(disk: FakeDisk) {
  const journal = await openJournal({ disk, intervalMs: undefined, segmentBytes: 100_000 });
  let content: () => Iterable<Change> = () => [];
  const log: ChangeLog = {
    ...journal,
    begin: (read) => {
      content = read;
      journal.begin(read);
    },
  };
  return {
    adapter: await openLoggedStateAdapter({ log }),
    content: () => new Set([...content()].filter(isCompared).map(textOf)),
  };
}

/** A lane of limits whose jobs have all completed is only kept until maintenance removes it. */
const isCompared = ([table]: Change) => table !== "lane";

const running = 4;
const ready = 3;

/** A job that ran is ready when it is opened again. */
function textOf(change: Change): string {
  const [table, id, place, state] = change;
  if (table !== "job" || !Array.isArray(state) || state[0] !== running) return JSON.stringify(change, inOrder);
  return JSON.stringify([table, id, place, [ready, ...(state.slice(1) as unknown[])]], inOrder);
}

/** The keys of an object in one order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Opens a journal for a case, closes it and opens it again when the case has ended, and compares what is there. */
export async function openReopened() {
  const disk = createFakeDisk();
  const { adapter, content } = await openOn(disk);
  return {
    adapter,
    close: async () => {
      const before = content();
      await adapter.close();
      const again = await openOn(createFakeDisk(disk.files()));
      expect(again.content()).toEqual(before);
      await again.adapter.close();
    },
  };
}
