import type { ChainStatus } from "chainwright";
import { chainIdOf } from "../schema.ts";
import type { Store } from "../store.ts";
import type { ChainHead } from "./chain-head.ts";
import type { Dependent } from "./release-dependent.ts";

/** An ended chain, and the job from which on those that waited for it have still to be released. */
export interface Release {
  readonly chain: ChainHead;
  readonly status: "completed" | "failed" | "cancelled";
  readonly from: number;
}

/** How many waiting jobs one call still looks at. What is beyond that follows in later exchanges. */
export interface Budget {
  left: number;
}

/** 500 take about 3 ms. */
const mostAtOnce = 500;

export function createBudget(): Budget {
  return { left: mostAtOnce };
}

export interface Releases {
  /** The next jobs that a chain has to release, as many as the budget allows; keeps the rest, and reports whether there is one. */
  step(release: Release, budget: Budget): { readonly waiting: readonly Dependent[]; readonly releasing: boolean };
  /** Takes the release that has not been carried on for the longest time. */
  take(): Release | undefined;
  isEmpty(): boolean;
  /** The chain is active again, or gone: what it has not released yet, it does not release. */
  drop(chain: number): void;
}

interface Row extends ChainHead {
  readonly turn: number;
  readonly chain_status: ChainStatus;
  readonly from_job: number;
}

export function createReleases({ tables: t, sql }: Store): Releases {
  const dependentsFrom = sql<Dependent & { readonly status: string }>(
    `select j.seq, j.id, j.type, coalesce(j.chain, j.seq) as chain, ${chainIdOf(t)} as chain_id, j.priority, j.attempt,
       j.fence, j.scheduled_at, j.on_blocker_failure, j.blockers_left, j.status
     from (select distinct job from ${t.blocker} where chain = ? and job >= ? and counted = 1 order by job limit ?) waiting
     join ${t.job} j on j.seq = waiting.job order by j.seq`,
  );
  const keep = sql(`insert into ${t.release} (chain, from_job) values (?, ?)`);
  const first = sql<Row>(
    `select r.turn, r.from_job, j.chain_status, j.seq, j.id, j.type, j.awaited, j.dedup_key, j.dedup_scope
     from ${t.release} r join ${t.job} j on j.seq = r.chain order by r.turn limit 1`,
  );
  const remove = sql(`delete from ${t.release} where turn = ?`);
  const drop = sql(`delete from ${t.release} where chain = ?`);
  const any = sql<{ turn: number }>(`select turn from ${t.release} limit 1`);

  return {
    step: ({ chain, from }, budget) => {
      const found = dependentsFrom.all(chain.seq, from, budget.left + 1);
      const looked = found.slice(0, budget.left);
      const next = found[budget.left];
      budget.left -= looked.length;
      if (next !== undefined) keep.run(chain.seq, next.seq);
      const waiting = looked.filter(({ status }) => status === "blocked");
      return { waiting: waiting.sort(byId), releasing: next !== undefined };
    },
    take: () => {
      const row = first.get();
      if (row === undefined) return undefined;
      remove.run(row.turn);
      const { chain_status: status } = row;
      // A chain that is active again has no release: its retry has dropped it.
      return status === "active" ? undefined : { chain: row, status, from: row.from_job };
    },
    isEmpty: () => any.get() === undefined,
    drop: (chain) => void drop.run(chain),
  };
}

function byId(left: Dependent, right: Dependent): number {
  return left.id < right.id ? -1 : 1;
}
