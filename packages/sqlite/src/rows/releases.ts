import type { EndedStatus, Waiting } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { type ChainRow, type DependentRow, type JobRow, type SqliteRows, dependentColumns } from "./job-row.ts";

type Releases = Pick<SqliteRows, "isReferenced" | "isAwaited" | "hasReleases" | "waitingFor" | "takeRelease">;

interface ReleaseRow extends ChainRow {
  readonly position: number;
  readonly from_job: number;
}

function statementsOf({ tables: t, sql }: Store) {
  return {
    dependentsFrom: sql<DependentRow>(
      `select ${dependentColumns}
       from (select distinct job from ${t.blocker} where chain = ? and job >= ? and counted = 1 order by job limit ?) waiting
       join ${t.job} j on j.seq = waiting.job order by j.seq`,
    ),
    keep: sql(`insert into ${t.release} (chain, from_job) values (?, ?)`),
    first: sql<ReleaseRow>(
      `select r.position, r.from_job, j.seq, j.id, j.type_name, j.chain_status, j.referenced, j.awaited, j.key,
         j.key_scope, j.key_until, j.extras
       from ${t.release} r join ${t.job} j on j.seq = r.chain order by r.position limit 1`,
    ),
    remove: sql(`delete from ${t.release} where position = ?`),
    any: sql<{ position: number }>(`select position from ${t.release} limit 1`),
  };
}

/** The jobs that ended chains have to release, in the order of their numbers, and those that are still left. */
export function createReleases(store: Store): Releases {
  const statements = statementsOf(store);

  const look = (
    chain: ChainRow,
    status: EndedStatus,
    { from, limit }: { readonly from: number; readonly limit: number },
  ): Waiting<JobRow, ChainRow> => {
    const found = statements.dependentsFrom.all(chain.seq, from, limit + 1);
    const looked = found.slice(0, limit);
    const next = found[limit];
    if (next !== undefined) statements.keep.run(chain.seq, next.seq);
    const jobs = looked.filter((job) => job.status === "blocked").sort(byId);
    return { chain, status, jobs: jobs.map(dependentOf), looked: looked.length, isCut: next !== undefined };
  };

  return {
    isReferenced: ({ referenced }) => referenced !== null,
    isAwaited: ({ awaited }) => awaited !== null,
    hasReleases: () => statements.any.get() !== undefined,
    waitingFor: (chain, status, limit) => look(chain, status, { from: 0, limit }),
    takeRelease: (limit) => {
      const release = statements.first.get();
      if (release === undefined) return undefined;
      statements.remove.run(release.position);
      const { chain_status: status, from_job: from } = release;
      // A chain that is active again has no release, because its retry has deleted it.
      return status === "active" || status === null ? undefined : look(release, status, { from, limit });
    },
  };
}

function dependentOf(job: DependentRow) {
  const { on_blocker_failure: onBlockerFailure, blockers_left: blockersLeft, due_at: dueAt } = job;
  return { job, onBlockerFailure, blockersLeft, dueAt: dueAt ?? 0 };
}

function byId(left: JobRow, right: JobRow): number {
  return left.id < right.id ? -1 : 1;
}
