import type { Change, ChangeLog } from "../../src/change-log/index.ts";

export interface MemoryLog extends ChangeLog {
  /** The text of all that it has kept. */
  readonly text: () => string;
  /** What it would keep of the store now. */
  readonly content: () => readonly Change[];
}

/** A log that turns changes to text as late as it can, so that a change which is changed later is noticed. */
export function createMemoryLog(kept = "[]", storeId: string = crypto.randomUUID()): MemoryLog {
  const commits: (readonly Change[])[] = JSON.parse(kept) as (readonly Change[])[];
  let read: () => Iterable<Change> = () => [];
  return {
    storeId,
    async *restore() {
      yield* commits.slice();
    },
    begin: (content) => {
      read = content;
    },
    check: () => {},
    append: (changes) => void commits.push(changes),
    settled: () => undefined,
    close: async () => {},
    text: () => JSON.stringify(commits),
    content: () => [...read()],
  };
}
