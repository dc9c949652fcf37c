import type { JobStart } from "../model/job-start.ts";
import type { Refusal, StartReply, StartedJob } from "../ports/state.ts";
import { holderOf, takeKey } from "./deduplication.ts";
import { toStartedJob } from "./records.ts";
import { chainStatusOf } from "./rows.ts";
import type { DeduplicationRow, JobRow } from "./rows.ts";
import type { Store } from "./store.ts";
import { setDeduplication, writeJob } from "./write-job.ts";

/** Begins a chain with the blockers written inline, unless one holds its deduplication key. A refusal leaves parts behind. */
export function beginChain(store: Store, start: JobStart, now: number): StartReply | Refusal {
  const holder = start.deduplication && holderOf(store, start.deduplication.key, now);
  if (holder !== undefined) return toStartedChain(holder.chain, undefined);
  const begun: StartedJob[] = [];
  const blockers = resolveBlockers(store, start, begun, now);
  if ("code" in blockers) return blockers;
  if (store.jobs.has(start.id)) return { code: "duplicate-id", id: start.id };
  const row = writeJob(store, start, { chain: undefined, step: 1, blockers }, now);
  const refusal = keepKey(store, row, start, now);
  return refusal ?? toStartedChain(row, [toStartedJob(row, now), ...begun]);
}

/** The blocker chains of a start, in its order; those written inline are begun, their jobs told to `begun`. */
export function resolveBlockers(
  store: Store,
  start: JobStart,
  begun: StartedJob[],
  now: number,
): readonly JobRow[] | Refusal {
  if (start.blockers.length === 0) return none;
  const chains: JobRow[] = [];
  for (const blocker of start.blockers) {
    let id: string;
    if ("start" in blocker) {
      const chain = beginChain(store, blocker.start, now);
      if ("code" in chain) return chain;
      for (const job of chain.jobs) begun.push(job);
      id = chain.id;
    } else {
      id = blocker.chainId;
    }
    const chain = store.jobs.get(id);
    if (chain === undefined || chain.chain !== undefined) return { code: "chain-not-found", id };
    const actual = chain.lane.type.name;
    if ("chainId" in blocker && blocker.typeName !== undefined && blocker.typeName !== actual) {
      return { code: "job-type-mismatch", id, actual };
    }
    chains.push(chain);
  }
  return chains;
}

const none: readonly JobRow[] = [];

function keepKey(store: Store, chain: JobRow, { id, deduplication }: JobStart, now: number): Refusal | undefined {
  if (deduplication === undefined) return undefined;
  const { key, scope, windowMs } = deduplication;
  const row: DeduplicationRow = { key, scope, chain, until: windowMs === undefined ? undefined : now + windowMs };
  setDeduplication(chain, row);
  // A blocker begun with it has taken the key: the chain would wait for itself.
  if (holderOf(store, key, now) !== undefined) return { code: "blocker-cycle", id, references: [id] };
  if (scope === "any" || chainStatusOf(chain) === "active") takeKey(store, row);
  return undefined;
}

/** `jobs` undefined: the chain was there. */
function toStartedChain(chain: JobRow, jobs: readonly StartedJob[] | undefined): StartReply {
  return {
    id: chain.id,
    deduplicated: jobs === undefined,
    status: chainStatusOf(chain),
    input: chain.input,
    createdAt: chain.createdAt,
    jobs: jobs ?? [],
  };
}
