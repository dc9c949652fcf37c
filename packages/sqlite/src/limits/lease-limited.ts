import type { ClaimType, ClaimedJob, ClaimedLimit } from "chainwright/adapter";
import { createReadClaimed, type Claiming } from "../operations/read-claimed.ts";
import type { Store } from "../store.ts";
import type { WaitingJob, laneStatementsOf } from "./lane-statements.ts";

/** A claim under way, as far as jobs under limits are concerned. */
export interface Round extends Claiming {
  /** By claim name. */
  readonly types: ReadonlyMap<string, ClaimType>;
  /** Whether the jobs are claimed ahead of the slots. */
  readonly isAhead: boolean;
}

/** Jobs that begin together. */
export interface Beginning {
  /** In their order. */
  readonly jobs: readonly WaitingJob[];
  readonly type: ClaimType;
  /** Whether they keep their places while they wait for a retry. */
  readonly isKeeping: boolean;
  /** The half-open gates of which the only one of them is the probe. */
  readonly probed: readonly number[];
}

/** Leases all of them in as few statements as there are kinds of leases. */
export function createLease(store: Store, statements: ReturnType<typeof laneStatementsOf>) {
  const readClaimed = createReadClaimed(store);
  const namesOf = (gates: readonly number[]): ReadonlySet<string> =>
    new Set(statements.gateNames.all(JSON.stringify(gates)).map(({ name }) => name));
  return (beginnings: readonly Beginning[], { claim: { workerId }, now, claimed }: Round): void => {
    const alike = Map.groupBy(beginnings, ({ isKeeping, type }) => `${isKeeping} ${type.leaseMs}`);
    for (const each of alike.values()) {
      const jobs = JSON.stringify(each.flatMap((one) => one.jobs.map(({ job }) => job)));
      const [first] = each;
      if (first === undefined || jobs === "[]") continue;
      statements.lease.run(first.isKeeping ? 2 : 1, workerId, now + first.type.leaseMs, now, jobs);
    }
    for (const { jobs, type, probed } of beginnings) {
      for (const job of jobs) {
        const taken = { ...job, attempt: job.attempt + 1, fence: job.fence + 1 };
        const read = readClaimed(taken, type, now);
        claimed.push(probed.length === 0 ? read : { ...read, limits: markProbes(read, namesOf(probed)) });
      }
    }
  };
}

function markProbes({ limits = [] }: ClaimedJob, probed: ReadonlySet<string>): readonly ClaimedLimit[] {
  return limits.map(({ limit, key }) => (probed.has(limit) ? { limit, key, isProbe: true } : { limit, key }));
}
