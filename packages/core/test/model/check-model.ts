import { deepStrictEqual } from "node:assert/strict";
import * as fc from "fast-check";
import type { JobRecord } from "../../src/model/record.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { commands, type Command } from "./commands.ts";
import { createTrial, perform, typeNames, type Trial } from "./perform.ts";
import { chainStatus, jobStatus, openBlockers } from "./reference.ts";

export interface ModelOptions {
  /** A fresh, migrated, empty store; closed when its run is over. */
  readonly createAdapter: () => Promise<StateAdapter>;
  /** How many histories. */
  readonly runs: number;
  readonly seed?: number | undefined;
}

/**
 * Runs random commands on a store and on a reference, and compares their replies and their contents after each. A difference is
 * shrunk to the shortest history that shows it.
 */
export async function checkModel({ createAdapter, runs, seed = 1 }: ModelOptions): Promise<void> {
  const property = fc.asyncProperty(commands, async (history) => {
    const store = await createAdapter();
    try {
      await play(createTrial(store), history);
    } finally {
      await store.close();
    }
  });
  await fc.assert(property, { numRuns: runs, seed, plugins: [fc.interruptAfterTimeLimit(600_000)] });
}

/** One history, on one store. */
async function play(trial: Trial, history: readonly Command[]): Promise<void> {
  for (const command of history) {
    const { said, expected } = await perform(trial, command);
    deepStrictEqual(said, expected, `${JSON.stringify(command)} has a different result`);
    await compare(trial, command);
  }
}

const page = { ids: undefined, createdFrom: undefined, createdBefore: undefined, errorText: undefined };

async function compare({ store, client, ref }: Trial, command: Command): Promise<void> {
  const now = { now: ref.now };
  const after = `after ${JSON.stringify(command)}`;
  const all = { ...page, after: undefined, limit: 10_000, order: "ascending", typeNames: undefined } as const;
  const chains = await store.listChains({ ...all, statuses: undefined }, now);
  const expectedChains = [...ref.chains.keys()].map((id) => ({ id, status: chainStatus(ref, id) })).sort(byId);
  deepStrictEqual(
    chains.map(({ id, status }) => ({ id, status })),
    expectedChains,
    `chains ${after}`,
  );

  const jobs = await store.listJobs({ ...all, statuses: undefined, chainId: undefined, blockedBy: undefined }, now);
  const expectedJobs = ref.jobs
    .map((job) => ({
      id: job.id,
      status: jobStatus(ref, job),
      attempt: job.attempt,
      priority: job.priority,
      left: jobStatus(ref, job) === "blocked" ? openBlockers(ref, job).length : undefined,
    }))
    .sort(byId);
  deepStrictEqual(jobs.map(jobOf), expectedJobs, `jobs ${after}`);

  const counts = new Map<string, number>();
  for (const { typeName, status, count } of await store.count(now))
    if (count > 0) counts.set(`${typeName} ${status}`, count);
  const expectedCounts = new Map<string, number>();
  for (const job of ref.jobs) {
    const name = `${job.typeName} ${jobStatus(ref, job)}`;
    expectedCounts.set(name, (expectedCounts.get(name) ?? 0) + 1);
  }
  deepStrictEqual(counts, expectedCounts, `counts ${after}`);

  const [typeName] = typeNames;
  const { items } = await client.listJobs({ typeName, limit: 3, order: "newest" });
  const newest = ref.jobs
    .filter((job) => job.typeName === typeName)
    .sort(byId)
    .reverse()
    .slice(0, 3);
  deepStrictEqual(
    items.map((item) => item["id"]),
    newest.map(({ id }) => id),
    `a page ${after}`,
  );
}

/** A job that is blocked twice by one chain may count it once or twice, but not more or less often. */
function jobOf({ id, status, attempt, priority, blockersLeft }: JobRecord) {
  return { id, status, attempt, priority, left: status === "blocked" ? blockersLeft : undefined };
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1;
}
