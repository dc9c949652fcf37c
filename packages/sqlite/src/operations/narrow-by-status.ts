import type { ChainStatus, JobStatus } from "chainwright";
import type { Store } from "../store.ts";
import type { Filter } from "./page.ts";

/**
 * Adds conditions that follow from a filter by status, so that SQLite reads only the few rows that can match and not the
 * history: failed and cancelled jobs have their own indexes, and open jobs are in the hot table or blocked.
 */
export interface Narrow {
  chains(filter: Filter, statuses: readonly ChainStatus[] | undefined): void;
  jobs(filter: Filter, statuses: readonly JobStatus[] | undefined): void;
}

/** With more open jobs than this, reading all of them costs more than finding a page among all jobs. */
const few = 10_000;

const stopped: ReadonlySet<string> = new Set(["failed", "cancelled"]);
const open: ReadonlySet<string> = new Set(["ready", "running", "scheduled", "waiting", "blocked", "active"]);

export function createNarrow(store: Store): Narrow {
  const { tables: t } = store;
  const countOpen = store.sql<{ count: number }>(`select count(*) as count from (select 1 from ${t.openJob} limit ?)`);
  const countBlocked = store.sql<{ count: number }>(
    `select count(*) as count from (select 1 from ${t.job} where status = 'blocked' limit ?)`,
  );
  const isFew = () => (countOpen.get(few)?.count ?? few) < few && (countBlocked.get(few)?.count ?? few) < few;
  const areAll = (statuses: readonly string[] | undefined, of: ReadonlySet<string>) =>
    statuses?.every((status) => of.has(status)) === true;

  return {
    chains: (filter, statuses) => {
      if (areAll(statuses, stopped)) filter.and("c.chain_status in ('failed', 'cancelled')");
      if (areAll(statuses, open) && isFew()) {
        filter.and(
          `c.seq in (select chain from ${t.openJob}
             union all select coalesce(chain, seq) from ${t.job} where status = 'blocked')`,
        );
      }
    },
    jobs: (filter, statuses) => {
      if (areAll(statuses, stopped)) filter.and("j.status in ('failed', 'cancelled')");
      if (areAll(statuses, open) && isFew()) {
        filter.and(
          `j.seq in (select job from ${t.openJob} union all select seq from ${t.job} where status = 'blocked')`,
        );
      }
    },
  };
}
