import type { ChainStatus } from "chainwright";
import type { JobStart, Refusal, StartedJob } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { WriteJob } from "./written-job.ts";

/** A chain that a job names as its blocker. */
export interface BlockerChain {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly status: ChainStatus;
}

interface BlockersWritten {
  readonly refusal?: undefined;
  /** In position order. */
  readonly chains: readonly BlockerChain[];
  /** Jobs of the chains that were begun. */
  readonly jobs: readonly StartedJob[];
}

type WriteBlockers = (start: JobStart, now: number) => BlockersWritten | { readonly refusal: Refusal };

const noBlockers: BlockersWritten = { chains: [], jobs: [] };

/** Finds the chains that a start names as its blockers, and begins those that it brings with it. */
export function createWriteBlockers(store: Store, begin: WriteJob["first"]): WriteBlockers {
  const findChain = store.sql<{ seq: number; type: string; chain_status: ChainStatus }>(
    `select seq, type, chain_status from ${store.tables.job} where id = ? and chain is null`,
  );
  return (start, now) => {
    if (start.blockers.length === 0) return noBlockers;
    const chains: BlockerChain[] = [];
    const jobs: StartedJob[] = [];
    for (const blocker of start.blockers) {
      if ("start" in blocker) {
        const { id, typeName: type } = blocker.start;
        const written = begin(blocker.start, { now, awaited: true });
        if (written.refusal !== undefined) return written;
        if (written.holder === undefined) {
          chains.push({ seq: written.seq, id, type, status: written.status === "failed" ? "failed" : "active" });
          jobs.push(...written.jobs);
        } else {
          chains.push({ ...written.holder, type });
        }
        continue;
      }
      const { chainId: id, typeName } = blocker;
      const found = findChain.get(id);
      if (found === undefined) return { refusal: { code: "chain-not-found", id } };
      if (typeName !== undefined && typeName !== found.type) {
        return { refusal: { code: "job-type-mismatch", id, actual: found.type } };
      }
      chains.push({ seq: found.seq, id, type: found.type, status: found.chain_status });
    }
    return { chains, jobs };
  };
}
