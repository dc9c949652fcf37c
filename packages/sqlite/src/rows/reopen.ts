import { storedLimits, storedWeight } from "../limits/stored-limits.ts";
import { createLimitTriggers } from "../limits/triggers.ts";
import { createWaiting } from "../signals/insert-waiting.ts";
import type { Store } from "../store.ts";
import { createFailures } from "../failures/failures.ts";
import { createExpiry } from "../upkeep/expiry.ts";
import { ending, extrasIn } from "./extras.ts";
import { type JobRow, type SqliteRows, dependentColumns, storedVersion } from "./job-row.ts";

type Reopens = Pick<SqliteRows, "failedBecauseOf" | "reopenJob" | "reopenChain" | "blame">;

function statementsOf({ tables: t, sql }: Store) {
  return {
    failedBecauseOf: sql<JobRow & { readonly ended_at: number }>(
      `select ${dependentColumns}, j.ended_at from ${t.job} j
       where j.seq in (select job from ${t.blocker} where chain = ?) and j.failed_by = ? and j.status = 'failed'
       order by j.id`,
    ),
    reopenJob: sql(
      `update ${t.job} set status = ?, blockers_left = ?, input = coalesce(?, input), attempt = 0, ended_at = null,
         due_at = case when ? then null else due_at end, started_at = null, leased_by = null, failed_by = null,
         output = null, limits = iif(?, ?, limits), weight = iif(?, ?, weight)
       where seq = ?`,
    ),
    setVersion: sql(`update ${t.job} set version = ? where seq = ?`),
    // The release of such a blocker may not have reached the job yet; then it must not count the job down.
    uncount: sql(
      `update ${t.blocker} set counted = 0
       where job = ? and (select chain_status from ${t.job} where seq = ${t.blocker}.chain) = 'completed'`,
    ),
    insertOpen: sql(
      `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt, fence)
       values (?, ?, ?, ?, 0, ?, 0, ?)`,
    ),
    reopenChain: sql(
      `update ${t.job} set chain_status = 'active', chain_ended_at = null, ended_job = null, reason = null where seq = ?`,
    ),
    // The rules withdraw what follows the chain, see `ends/triggers.ts`.
    beginRetry: sql(`update ${t.ending} set stopped = 0 where chain = ?`),
    dropRelease: sql(`delete from ${t.release} where chain = ?`),
    blame: sql(`update ${t.job} set failed_by = ?, errors = ? where seq = ?`),
  };
}

/** Makes ended jobs and chains open again. */
export function createReopens(store: Store, claimNameOf: SqliteRows["claimNameOf"]): Reopens {
  const { tally } = store;
  const statements = statementsOf(store);
  const expiry = createExpiry(store);
  const failures = createFailures(store);
  const waiting = createWaiting(store);
  const extras = extrasIn(store);
  const prepareLimits = createLimitTriggers(store);
  return {
    failedBecauseOf: ({ seq }) =>
      statements.failedBecauseOf.all(seq, seq).map((job) => ({ job, endedAt: job.ended_at })),
    reopenJob: (job, { blockersLeft, input, version, limits, dueAt, waits }) => {
      const { seq, chain, type_name: typeName, status, priority, fence } = job;
      const isRenewed = version !== undefined && (storedVersion(version) ?? job.version ?? null) !== null;
      // A new input without a version of its own would be taken for one of an older process, see `createCorrection`.
      if (isRenewed) statements.setVersion.run(null, seq);
      if (status !== "open" && status !== "blocked") tally.add(typeName, status, -1);
      if (status === "failed") failures.forget(seq);
      const isBlocked = blockersLeft > 0;
      const isRetried = dueAt !== undefined;
      const hasInput = input === undefined ? 0 : 1;
      const written = [isBlocked ? "blocked" : "open", blockersLeft, input ?? null, isRetried ? 1 : 0] as const;
      const underLimits = [hasInput, storedLimits(limits), hasInput, storedWeight(limits)] as const;
      if (limits !== undefined) prepareLimits();
      statements.reopenJob.run(...written, ...underLimits, seq);
      if (isRenewed) statements.setVersion.run(storedVersion(version), seq);
      statements.uncount.run(seq);
      const name = claimNameOf(isRenewed ? { ...job, version: storedVersion(version) } : job);
      if (waits) waiting.again({ seq, chain, name, priority, fence, dueAt: dueAt ?? 0 });
      else if (!isBlocked) statements.insertOpen.run(seq, chain, name, priority, dueAt ?? 0, fence);
    },
    reopenChain: (chain, now) => {
      const { seq } = chain;
      if (extras.mayHave(chain, ending)) statements.beginRetry.run(seq);
      statements.reopenChain.run(seq);
      statements.dropRelease.run(seq);
      expiry.note(seq, "active", now);
    },
    blame: ({ seq }, { by, errors }) => void statements.blame.run(by.seq, errors, seq),
  };
}
