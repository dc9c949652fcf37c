import { claimName, type JobStart } from "chainwright/adapter";
import type { SqliteRunResult, SqliteValue } from "../driver.ts";
import { storedLimits, storedWeight } from "../limits/stored-limits.ts";
import { createLimitTriggers } from "../limits/triggers.ts";
import { createInsertEnds } from "../ends/insert-ends.ts";
import { storedWait } from "../signals/wait.ts";
import { createWaiting } from "../signals/insert-waiting.ts";
import type { Store } from "../store.ts";
import { createEndChain } from "./end.ts";
import { ending } from "./extras.ts";
import { storedVersion, type JobRow, type SqlitePlace, type SqliteRows } from "./job-row.ts";
import { createCorrection } from "./older-processes.ts";

function statementsOf({ tables: t, sql }: Store) {
  return {
    job: sql(
      `insert into ${t.job} (id, chain, step, type_name, status, priority, attempt, created_at, ended_at, blockers,
         blockers_left, on_blocker_failure, failed_by, due_at, chain_status, referenced, key, key_scope, key_until, tags,
         context, input, errors, version, pool, limits, weight)
       values (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do nothing`,
    ),
    // Most jobs need only these columns. Binding a null costs as much as a value: a start takes 10.6 us of CPU instead of 12.1.
    plainJob: sql(
      `insert into ${t.job} (id, chain, step, type_name, status, priority, attempt, created_at, blockers, blockers_left,
         on_blocker_failure, chain_status, context, input)
       values (?, ?, ?, ?, 'open', ?, 0, ?, 0, 0, ?, ?, ?, ?)
       on conflict (id) do nothing`,
    ),
    plainLimitedJob: sql(
      `insert into ${t.job} (id, chain, step, type_name, status, priority, attempt, created_at, blockers, blockers_left,
         on_blocker_failure, chain_status, context, input, limits, weight)
       values (?, ?, ?, ?, 'open', ?, 0, ?, 0, 0, ?, ?, ?, ?, ?, ?)
       on conflict (id) do nothing`,
    ),
    openJob: sql(
      `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt) values (?, ?, ?, ?, ?, ?, 0)`,
    ),
    // It is in no lane yet: the next claim puts it into one, so a start in a long transaction of the caller writes no shared row.
    limitedJob: sql(
      `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt, lane) values (?, ?, ?, ?, 1, ?, 0, 0)`,
    ),
    blocker: sql(`insert into ${t.blocker} (job, position, chain, counted, own) values (?, ?, ?, ?, ?)`),
    tag: sql(`insert into ${t.tag} (name, value, chain_id) values (?, ?, ?)`),
    markReferenced: sql(`update ${t.job} set referenced = 1 where seq = ? and referenced is null`),
  };
}

/** Writes new jobs. */
export function createInsert(store: Store): SqliteRows["insert"] {
  const statements = statementsOf(store);
  const endChain = createEndChain(store);
  const correctOlderProcesses = createCorrection(store);
  const prepareLimits = createLimitTriggers(store);

  const waiting = createWaiting(store);
  const insertEnds = createInsertEnds(store);

  const insertBlockers = (seq: number, { blockers, open, own }: SqlitePlace): void => {
    const counted = new Set(open.map((chain) => chain.seq));
    const owned = new Set(own.map((chain) => chain.seq));
    for (const [position, chain] of blockers.entries()) {
      // At its first position: it may be there more than once.
      const isOwn = owned.delete(chain.seq);
      statements.blocker.run(seq, position, chain.seq, counted.has(chain.seq) ? 1 : 0, isOwn ? 1 : null);
    }
    for (const chain of counted) statements.markReferenced.run(chain);
  };

  const insertPlain = (start: JobStart, place: SqlitePlace, now: number): SqliteRunResult => {
    const values = plainValues(start, place, now);
    if (start.limits === undefined) return statements.plainJob.run(...values);
    return statements.plainLimitedJob.run(...values, storedLimits(start.limits), storedWeight(start.limits));
  };
  const insertWhole = (start: JobStart, place: SqlitePlace, now: number): SqliteRunResult =>
    statements.job.run(...valuesOf(start, place, now));

  return (start, place, now) => {
    const { status, dueAt, after, key, isBlocker } = place;
    const claimed = claimName(start);
    const hasOwnName = claimed !== start.typeName;
    const isPlain =
      key === undefined && start.tags === undefined && place.blockers.length === 0 && !isBlocker && !hasOwnName;
    if (hasOwnName) correctOlderProcesses();
    if (start.limits !== undefined) prepareLimits();
    const { changes, lastInsertRowid } = isPlain ? insertPlain(start, place, now) : insertWhole(start, place, now);
    if (Number(changes) === 0) return undefined;
    const seq = Number(lastInsertRowid);
    if (!isPlain && place.blockers.length > 0) insertBlockers(seq, place);
    if (!isPlain && start.tags !== undefined) {
      for (const [name, value] of Object.entries(start.tags)) statements.tag.run(name, value, start.id);
    }
    const job = rowOf(start, place, seq);
    if (status === "failed") {
      store.tally.add(start.typeName, "failed", 1);
      endChain(job.chain, { status, job: seq, reason: undefined, now });
    } else if (place.wait !== undefined) {
      waiting.begin({ ...job, name: claimed, dueAt }, place.wait);
    } else if (status !== "blocked" && start.limits !== undefined) {
      statements.limitedJob.run(seq, after?.chain ?? seq, claimed, start.priority, dueAt);
    } else if (status !== "blocked") {
      statements.openJob.run(seq, after?.chain ?? seq, claimed, start.priority, dueAt > now ? 1 : 0, dueAt);
    }
    if (start.whenStopped === undefined && place.deadlineAt === undefined) return job;
    insertEnds(seq, start.whenStopped, place.deadlineAt);
    return { ...job, extras: ending };
  };
}

function rowOf(start: JobStart, { after, status, key, isBlocker, wait }: SqlitePlace, seq: number): JobRow {
  return {
    seq,
    id: start.id,
    type_name: start.typeName,
    chain: after?.chain ?? seq,
    step: after === undefined ? 1 : after.step + 1,
    status: status === "failed" || status === "blocked" ? status : "open",
    priority: start.priority,
    attempt: 0,
    fence: 0,
    leased_by: null,
    started_at: null,
    version: storedVersion(start.version),
    pool: start.pool ?? null,
    chain_status: after === undefined ? chainStatusOf(status) : null,
    referenced: isBlocker ? 1 : null,
    awaited: null,
    key: key?.key ?? null,
    key_scope: key?.scope ?? null,
    key_until: key?.until ?? null,
    extras: null,
    waits: wait === undefined ? null : storedWait(wait),
  };
}

function plainValues(start: JobStart, { after }: SqlitePlace, now: number): readonly SqliteValue[] {
  return [
    start.id,
    after?.chain ?? null,
    after === undefined ? 1 : after.step + 1,
    start.typeName,
    start.priority,
    now,
    start.onBlockerFailure,
    after === undefined ? "active" : null,
    start.context ?? null,
    start.input,
  ];
}

function valuesOf(start: JobStart, place: SqlitePlace, now: number): readonly SqliteValue[] {
  const { after, status, dueAt, failure, key } = place;
  return [
    start.id,
    after?.chain ?? null,
    after === undefined ? 1 : after.step + 1,
    start.typeName,
    status === "failed" || status === "blocked" ? status : "open",
    start.priority,
    now,
    status === "failed" ? now : null,
    place.blockers.length,
    place.open.length,
    start.onBlockerFailure,
    failure?.by.seq ?? null,
    status === "blocked" && dueAt > now ? dueAt : null,
    after === undefined ? chainStatusOf(status) : null,
    place.isBlocker ? 1 : null,
    key?.key ?? null,
    key?.scope ?? null,
    key?.until ?? null,
    start.tags === undefined ? null : JSON.stringify(start.tags),
    start.context ?? null,
    start.input,
    failure?.errors ?? null,
    storedVersion(start.version),
    start.pool ?? null,
    storedLimits(start.limits),
    storedWeight(start.limits),
  ];
}

/** The status of a chain whose first job has this status. */
function chainStatusOf(status: SqlitePlace["status"]): "active" | "failed" {
  return status === "failed" ? "failed" : "active";
}
