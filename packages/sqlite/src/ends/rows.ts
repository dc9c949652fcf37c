import type { ChainStatus } from "chainwright";
import type { Ends, FollowUpKind, HeldAttempt } from "chainwright/adapter";
import { corruptError } from "../errors.ts";
import { compensationOf, followUpOf } from "../result-rows.ts";
import {
  chainColumns,
  chainColumnsOf,
  type ChainRow,
  type JobRow,
  selectJobRows,
  selectLastJob,
  type SqliteRows,
} from "../rows/job-row.ts";
import { ending, extrasIn, following } from "../rows/extras.ts";
import type { Store } from "../store.ts";
import { createMark } from "./mark.ts";

type SqliteEndRows = SqliteRows["ends"];

interface EndingRow {
  readonly when_stopped: string | null;
  readonly held_job: string | null;
  readonly held_by: string | null;
  readonly held_fence: number | null;
  readonly held_until: number | null;
}

interface EntryRow {
  readonly type_name: string;
  readonly version: number | null;
  readonly input: string;
}

interface StopRow {
  readonly chain_status: ChainStatus;
  readonly input: string;
  readonly created_at: number;
  readonly reason: string | null;
  readonly id: string;
  readonly type_name: string;
  readonly errors: string | null;
}

interface AttemptRow {
  readonly leased_by: string;
  readonly fence: number;
  readonly leased_until: number;
}

interface LinkRow {
  readonly chain_id: string;
  readonly kind: FollowUpKind;
}

function endReadsOf({ tables: t, sql }: Store) {
  return {
    ending: sql<EndingRow>(
      `select when_stopped, held_job, held_by, held_fence, held_until from ${t.ending} where chain = ?`,
    ),
    entry: sql<EntryRow>(`select type_name, version, input from ${t.job} where seq = ?`),
    stop: sql<StopRow>(
      `select c.chain_status, c.input, c.created_at, c.reason, e.id, e.type_name, e.errors
       from ${t.job} c cross join ${t.job} e on e.seq = c.ended_job where c.seq = ?`,
    ),
    attempt: sql<AttemptRow>(
      `select leased_by, fence, leased_until from ${t.openJob} where job = ? and leased_until > ?`,
    ),
    compensations: sql<{ compensation: string }>(
      `select compensation from ${t.compensation} where chain = ? order by step, own, position`,
    ),
    links: sql<LinkRow>(`select chain_id, kind from ${t.followUp} where chain = ? order by position`),
    followedBy: sql<ChainRow>(
      `select ${chainColumnsOf("c")} from ${t.followUp} f cross join ${t.job} c on c.seq = f.chain where f.chain_id = ?`,
    ),
    chain: sql<ChainRow>(`select ${chainColumns} from ${t.job} where id = ? and chain is null`),
    last: sql<JobRow>(selectLastJob(t)),
    startedFor: sql<JobRow>(
      `${selectJobRows(t)} where j.seq = (select job from ${t.blocker} where chain = ? and own = 1 order by job limit 1)`,
    ),
    ownBlockers: sql<ChainRow>(
      `select ${chainColumns} from ${t.blocker} b cross join ${t.job} c on c.seq = b.chain
       where b.job = ? and b.own = 1 and c.chain_status = 'active' order by b.position`,
    ),
    overdue: sql<ChainRow>(
      `select ${chainColumns} from ${t.deadline} d cross join ${t.job} c on c.seq = d.chain
       where d.at <= ? and c.chain_status = 'active' order by d.at limit ?`,
    ),
    nextDeadline: sql<{ at: number }>(`select at from ${t.deadline} order by at limit 1`),
  };
}

function endWritesOf({ tables: t, sql }: Store) {
  return {
    record: sql(
      `insert into ${t.compensation} (chain, step, own, position, compensation) values (?, ?, 1, 0, ?)
       on conflict (chain, step, own, position) do update set compensation = excluded.compensation`,
    ),
    pass: sql(
      `insert into ${t.compensation} (chain, step, own, position, compensation)
       select ?, ?, 0, row_number() over (order by step, own, position)
           + (select coalesce(max(position), 0) from ${t.compensation} where chain = ? and step = ? and own = 0), compensation
         from ${t.compensation} where chain = ?`,
    ),
    forget: sql(`delete from ${t.compensation} where chain = ?`),
    dropDeadline: sql(`delete from ${t.deadline} where chain = ?`),
    // A job that is written as failed ends its chain as well, so that not only `createEnds` has to remove the mark.
    unmark: sql(`update ${t.ending} set stopped = null where chain = ?`),
    hold: sql(`update ${t.ending} set held_job = ?, held_by = ?, held_fence = ?, held_until = ? where chain = ?`),
    link: sql(
      `insert into ${t.followUp} (chain, position, chain_id, kind)
       select ?, coalesce(max(position), 0) + 1, ?, ? from ${t.followUp} where chain = ?`,
    ),
    unlink: sql(`delete from ${t.followUp} where chain = ?`),
  };
}

/** What the rules read and write about the ends of chains. */
export function createEndRows(store: Store): SqliteEndRows {
  return { ...createEndReads(store), ...createEndWrites(store) };
}

function createEndReads(store: Store): Omit<SqliteEndRows, Write> {
  const statements = endReadsOf(store);
  const extras = extrasIn(store);
  return {
    of: (chain) => {
      const row = extras.mayHave(chain, ending) ? statements.ending.get(chain.seq) : undefined;
      return row && endsOf(row);
    },
    compensationsOf: ({ seq }) =>
      statements.compensations.all(seq).map(({ compensation }) => compensationOf(compensation)),
    followUpsOf: ({ seq }) =>
      statements.links.all(seq).map(({ chain_id: chainId, kind }) => {
        const chain = statements.chain.get(chainId);
        const job = chain && statements.last.get(chain.seq, chain.seq);
        if (chain === undefined || job === undefined) return { chainId, kind, row: undefined };
        return { chainId, kind, row: { chain, job, isClaimed: job.seq !== chain.seq || job.fence > 0 } };
      }),
    followedBy: (chain) => (extras.mayHave(chain, following) ? statements.followedBy.get(chain.id) : undefined),
    entryOf: ({ seq }) => {
      const row = statements.entry.get(seq);
      if (row === undefined) throw corruptError(`the first job of chain ${seq} is missing`);
      return { typeName: row.type_name, version: row.version ?? 1, input: row.input };
    },
    stopOf: ({ seq }) => {
      const row = statements.stop.get(seq);
      if (row === undefined) throw corruptError(`the job that ended chain ${seq} is missing`);
      const step = { jobId: row.id, typeName: row.type_name };
      const [errors, reason] = [row.errors ?? undefined, row.reason ?? undefined];
      return { status: row.chain_status, input: row.input, startedAt: row.created_at, step, errors, reason };
    },
    attemptOf: ({ seq, id }, now) => {
      const row = statements.attempt.get(seq, now);
      return row && { attempt: { jobId: id, workerId: row.leased_by, fence: row.fence }, until: row.leased_until };
    },
    startedFor: ({ seq }) => statements.startedFor.get(seq),
    ownBlockersOf: ({ seq }) => statements.ownBlockers.all(seq),
    overdue: (now, limit) => statements.overdue.all(now, limit),
    nextDeadlineAt: () => statements.nextDeadline.get()?.at,
  };
}

type Write = "record" | "pass" | "forget" | "dropDeadline" | "hold" | "link" | "unlink";

function createEndWrites(store: Store): Pick<SqliteEndRows, Write> {
  const statements = endWritesOf(store);
  const mark = createMark(store);
  const extras = extrasIn(store);
  return {
    record: ({ chain, step }, compensation) => {
      mark(chain);
      statements.record.run(chain, step, JSON.stringify(compensation));
    },
    pass: ({ seq }, { chain, step }) => {
      mark(chain);
      statements.pass.run(chain, step, chain, step, seq);
    },
    forget: ({ seq }) => void statements.forget.run(seq),
    dropDeadline: ({ seq }) => {
      statements.dropDeadline.run(seq);
      statements.unmark.run(seq);
    },
    hold: ({ seq }, held) => {
      const { jobId = null, workerId = null, fence = null } = held?.attempt ?? {};
      statements.hold.run(jobId, workerId, fence, held?.until ?? null, seq);
    },
    link: ({ seq }, followUp, kind) => {
      statements.link.run(seq, followUp.id, kind, seq);
      extras.add(followUp.seq, following);
    },
    unlink: ({ seq }) => void statements.unlink.run(seq),
  };
}

function endsOf(row: EndingRow): Ends {
  return {
    whenStopped: followUpOf(row.when_stopped),
    held: heldOf(row),
  };
}

function heldOf(row: EndingRow): HeldAttempt | undefined {
  const { held_job: jobId, held_by: workerId, held_fence: fence, held_until: until } = row;
  if (jobId === null || workerId === null || fence === null || until === null) return undefined;
  return { attempt: { jobId, workerId, fence }, until };
}
