import type { Clock } from "chainwright";
import { openLoggedStateAdapter, type Change, type ChangeLog } from "chainwright/change-log";
import type { Disk } from "../src/disk.ts";
import { openJournal, type JournalOptions } from "../src/journal.ts";

/** A store on the files of a disk, and all that it would keep. */
export async function openWithContent(
  disk: Disk,
  { clock, ...sizes }: Pick<JournalOptions, "segmentBytes" | "snapshotBytes"> & { readonly clock?: Pick<Clock, "now"> },
) {
  const journal = await openJournal({ disk, intervalMs: undefined, ...sizes });
  let content: () => Iterable<Change> = () => [];
  const log: ChangeLog = {
    ...journal,
    begin: (read) => {
      content = read;
      journal.begin(read);
    },
  };
  return {
    adapter: await openLoggedStateAdapter({ log, clock }),
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
