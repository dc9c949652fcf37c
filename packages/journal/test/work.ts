import { openLoggedStateAdapter } from "chainwright/change-log";
import type { StateAdapter } from "chainwright/adapter";
import { openJournal, type JournalOptions } from "../src/journal.ts";
import type { Disk } from "../src/disk.ts";
import type { FakeDisk } from "./fake-disk.ts";
import { elsewhere } from "./paces.ts";
import { jobOf, lostOf, pairOf } from "./jobs.ts";

/** Small files, so that a short run has several of each. */
const small = { segmentBytes: 2_000, snapshotBytes: 3_000, roomBytes: 700 };

export async function openOn(disk: Disk, options: Partial<JournalOptions> = {}) {
  const journal = await openJournal({ disk, intervalMs: undefined, pace: elsewhere, ...small, ...options });
  const store: StateAdapter<object> = await openLoggedStateAdapter({ log: journal });
  return { journal, store };
}

/**
 * Callers that start pairs of chains, and a worker that completes them. What was acknowledged is noted among the steps of the disk: the
 * id of a pair, and of a chain with the word "done".
 */
export async function work(disk: FakeDisk, store: StateAdapter<object>, rounds: number, prefix = "p"): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const starts = [0, 1, 2].map(async (caller) => {
      const id = `${prefix}${round}-${caller}`;
      await store.start([{ starts: pairOf(id).map((each) => jobOf(each)) }], {});
      disk.steps.push({ kind: "acknowledged", id });
    });
    const started = Promise.all(starts);
    // The calls below may fail first.
    started.catch(() => {});
    const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 3 };
    const { claimed } = await store.exchange({ outcomes: [], claim }, {});
    const outcomes = claimed.map(({ id, fence }) => {
      return { target: { jobId: id, workerId: "w", fence }, kind: "completed", output: "1" } as const;
    });
    await store.exchange({ outcomes, claim: undefined }, {});
    for (const { id } of claimed) disk.steps.push({ kind: "acknowledged", id: `${id} done` });
    await started;
  }
}

/** What was acknowledged before a step and is not there, and pairs of which only a half is there. */
export function lostIn(store: StateAdapter<object>, steps: FakeDisk["steps"]): Promise<readonly string[]> {
  return lostOf(
    store,
    steps.flatMap((step) => (step.kind === "acknowledged" ? step.id : [])),
  );
}
