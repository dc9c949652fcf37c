import { openLoggedStateAdapter } from "chainwright/change-log";
import type { JobStart, StateAdapter } from "chainwright/adapter";
import { openJournal, type JournalOptions } from "../src/journal.ts";
import type { FakeDisk } from "./fake-disk.ts";

/** Small files, so that a short run has several of each. */
const small = { segmentBytes: 2_000, snapshotBytes: 3_000 };

export async function openOn(disk: FakeDisk, options: Partial<JournalOptions> = {}) {
  const journal = await openJournal({ disk, intervalMs: undefined, ...small, ...options });
  const store: StateAdapter<object> = await openLoggedStateAdapter({ log: journal });
  return { journal, store };
}

export function jobOf(id: string, change: Partial<JobStart> = {}): JobStart {
  const rest = { onBlockerFailure: "fail", deduplication: undefined, context: undefined } as const;
  return {
    id,
    typeName: "a",
    input: `"${"x".repeat(40)}"`,
    priority: 0,
    schedule: undefined,
    blockers: [],
    ...rest,
    ...change,
  };
}

/** The ids of a pair of chains that one call starts. */
const pairOf = (id: string) => [`${id}-left`, `${id}-right`];

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

const all = {
  after: undefined,
  limit: 10_000,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  tags: undefined,
  key: undefined,
} as const;

/** What was acknowledged before a step and is not there, and pairs of which only a half is there. */
export async function lostIn(store: StateAdapter<object>, steps: FakeDisk["steps"]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const step of steps) {
    if (step.kind !== "acknowledged") continue;
    const [id = "", done] = step.id.split(" ");
    const chains = await store.getChains(done === undefined ? pairOf(id) : [id], {});
    const isThere = chains.every(
      (chain) => chain !== undefined && (done === undefined || chain.status === "completed"),
    );
    if (!isThere) lost.push(step.id);
  }
  const ids = new Set((await store.listChains(all, {})).map(({ id }) => id));
  for (const id of ids) {
    const other = id.endsWith("left") ? id.replace("left", "right") : id.replace("right", "left");
    if (!ids.has(other)) lost.push(`${other} of a pair`);
  }
  return lost;
}
