import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import { createFailures } from "../failures/failures.ts";
import { createExpiry } from "../upkeep/expiry.ts";
import { ending, extrasIn } from "./extras.ts";
import type { JobRow, SqliteEnd, SqliteRows } from "./job-row.ts";

type Ends = Pick<SqliteRows, "end" | "complete" | "putBack" | "makeReady" | "countDown" | "unblock">;

/** `returning` would save statements but cost more than they do: 1.4 us here, compared with 1 us for a read. */
function statementsOf({ tables: t, sql }: Store) {
  const endJob = `status = ?, output = ?, errors = coalesce(?, errors), failed_by = ?, attempt = ?, fence = ?,
       leased_by = ?, started_at = ?, ended_at = ?`;
  return {
    endOnlyJob: sql(
      `update ${t.job} set ${endJob}, chain_status = ?, chain_ended_at = ?, ended_job = ?, reason = ? where seq = ?`,
    ),
    endLastJob: sql(`update ${t.job} set ${endJob} where seq = ?`),
    complete: sql(
      `update ${t.job} set status = 'completed', ended_at = ?, attempt = ?, fence = ?, leased_by = ?, started_at = ?,
         next = ?
       where seq = ?`,
    ),
    dropOpen: sql(`delete from ${t.openJob} where job = ?`),
    putBack: sql(
      `update ${t.openJob} set leased_by = null, leased_until = null, started_at = null, attempt = attempt - ?, state = ?,
         due_at = ?
       where job = ?`,
    ),
    setErrors: sql(`update ${t.job} set errors = ? where seq = ?`),
    makeReady: sql(`update ${t.openJob} set state = 0, due_at = ?, waits = null where job = ?`),
    setOutputVersion: sql(`update ${t.job} set output_version = ? where seq = ?`),
    countDown: sql(`update ${t.job} set blockers_left = ? where seq = ?`),
    unblock: sql(`update ${t.job} set status = 'open', blockers_left = 0, due_at = null where seq = ?`),
    insertOpen: sql(
      `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt, fence)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/** Writes the end of a job, and that of the chain with it. */
function createEndJob(
  store: Store,
  statements: ReturnType<typeof statementsOf>,
): (job: JobRow, how: SqliteEnd) => void {
  const { tally } = store;
  const endChain = createEndChain(store);
  const expiry = createExpiry(store);
  const failures = createFailures(store);

  return (job, { status, output, outputVersion, errors, reason, failedBy, by, now }) => {
    if (job.status === "open") statements.dropOpen.run(job.seq);
    tally.add(job.type_name, status, 1);
    const [leasedBy, startedAt] = by === "attempt" ? [job.leased_by, job.started_at] : [null, null];
    const { attempt, fence, seq, chain } = job;
    const written = [
      status,
      output ?? null,
      errors ?? null,
      failedBy?.seq ?? null,
      attempt,
      fence,
      leasedBy,
      startedAt,
      now,
    ];
    if (seq === chain) {
      statements.endOnlyJob.run(...written, status, now, seq, reason ?? null, seq);
      expiry.note(chain, status, now);
    } else {
      statements.endLastJob.run(...written, seq);
      endChain(chain, { status, job: seq, reason, now });
    }
    if (status === "failed") failures.note(job, errors, now);
    if (outputVersion !== undefined && outputVersion > 1) statements.setOutputVersion.run(outputVersion, seq);
  };
}

/** Ends attempts and jobs, and makes jobs wait. */
export function createEnds(store: Store, claimNameOf: SqliteRows["claimNameOf"]): Ends {
  const { tally } = store;
  const statements = statementsOf(store);
  const end = createEndJob(store, statements);

  // The rules do what follows in this transaction.
  const unmark = store.sql(`update ${store.tables.ending} set stopped = null where chain = ?`);
  const extras = extrasIn(store);

  return {
    end: (job, chain, how) => {
      end(job, how);
      if (extras.mayHave(chain, ending)) unmark.run(chain.seq);
    },
    complete: (job, next, { by, now }) => {
      const [leasedBy, startedAt] = by === "attempt" ? [job.leased_by, job.started_at] : [null, null];
      if (job.status === "open") statements.dropOpen.run(job.seq);
      statements.complete.run(now, job.attempt, job.fence, leasedBy, startedAt, next.seq, job.seq);
      tally.add(job.type_name, "completed", 1);
    },
    putBack: ({ seq }, { dueAt, status, counted, errors }) => {
      statements.putBack.run(counted ? 0 : 1, status === "scheduled" ? 1 : 0, dueAt, seq);
      if (errors !== undefined) statements.setErrors.run(errors, seq);
    },
    makeReady: ({ seq }, now) => void statements.makeReady.run(now, seq),
    countDown: ({ seq }, blockersLeft) => void statements.countDown.run(blockersLeft, seq),
    unblock: (job, dueAt, now) => {
      const { seq, chain, priority, attempt, fence } = job;
      statements.unblock.run(seq);
      statements.insertOpen.run(seq, chain, claimNameOf(job), priority, dueAt > now ? 1 : 0, dueAt, attempt, fence);
    },
  };
}

interface EndOfChain {
  readonly status: EndedStatus;
  /** The job that ended it. */
  readonly job: number;
  readonly reason: string | undefined;
  readonly now: number;
}

/** Writes the end of a chain to its first job. */
export function createEndChain(store: Store): (chain: number, end: EndOfChain) => void {
  const { tables: t, sql } = store;
  const expiry = createExpiry(store);
  const endChain = sql(
    `update ${t.job} set chain_status = ?, chain_ended_at = ?, ended_job = ?, reason = ? where seq = ?`,
  );
  return (chain, { status, job, reason, now }) => {
    endChain.run(status, now, job, reason ?? null, chain);
    expiry.note(chain, status, now);
  };
}
