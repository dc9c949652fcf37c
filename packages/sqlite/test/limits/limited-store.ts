import type { StateAdapter } from "chainwright";
import type { Claim, ClaimedJob, JobLimit, JobStart, LimitRule, Outcome } from "chainwright/adapter";
import { jobStart, migratedStore, type Handle } from "../store.ts";

type Store = StateAdapter<Handle>;

export const rule = (details: Partial<LimitRule> = {}): LimitRule => ({
  concurrency: undefined,
  rate: undefined,
  ...details,
});

/** Says what limits allow, as a worker does before its first claim. */
export async function declare(store: Store, limits: Readonly<Record<string, Partial<LimitRule>>>): Promise<void> {
  const changes = Object.entries(limits).map(([limit, said]) => {
    return { kind: "declare", limit, rule: rule(said), codeVersion: undefined } as const;
  });
  await store.changeLimits(changes, {});
}

export const limit = (name: string, key: string, details: Partial<JobLimit> = {}): JobLimit => ({
  limit: name,
  key,
  ...details,
});

/** Starts jobs one after the other; returns their ids. */
export async function startAll(store: Store, starts: readonly Partial<JobStart>[]): Promise<readonly string[]> {
  const jobs = starts.map(jobStart);
  await store.start([{ starts: jobs }], {});
  return jobs.map(({ id }) => id);
}

export interface ClaimDetails extends Partial<Omit<Claim, "types">> {
  readonly types?: readonly string[];
  readonly leaseMs?: number;
  readonly outcomes?: readonly Outcome[];
}

export function claimOf(store: Store, details: ClaimDetails = {}) {
  const { types = ["a"], leaseMs = 60_000, outcomes = [], ...rest } = details;
  const asked = types.map((typeName) => ({ typeName, leaseMs }));
  return store.exchange({ outcomes, claim: { workerId: "w", limit: 10, limited: true, ...rest, types: asked } }, {});
}

export async function claimed(store: Store, details: ClaimDetails = {}): Promise<readonly ClaimedJob[]> {
  return (await claimOf(store, details)).claimed;
}

const fenceOf = ({ id, fence }: ClaimedJob, workerId: string) => ({ jobId: id, workerId, fence });

export async function complete(store: Store, jobs: readonly ClaimedJob[], workerId = "w"): Promise<void> {
  await store.settle(
    jobs.map((job) => ({ target: fenceOf(job, workerId), kind: "completed", output: "1" }) as const),
    {},
  );
}

export async function putBack(store: Store, jobs: readonly ClaimedJob[], afterMs?: number): Promise<void> {
  const schedule = afterMs === undefined ? undefined : { afterMs };
  await store.settle(
    jobs.map(
      (job) => ({ target: fenceOf(job, "w"), kind: "deferred", schedule, counted: true, errors: "[]" }) as const,
    ),
    {},
  );
}

export async function runningOf(store: Store, name: string, key: string): Promise<number | undefined> {
  const [record] = await store.listLimits({ keys: [{ limit: name, key }], limit: 1 }, {});
  return record?.running;
}

export const limitedStore = migratedStore;
