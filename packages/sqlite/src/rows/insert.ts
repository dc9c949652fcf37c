import { claimName, type JobStart } from "chainwright/adapter";
import type { SqliteValue } from "../driver.ts";
import type { Store } from "../store.ts";
import { createEndChain } from "./end.ts";
import { storedVersion, type JobRow, type SqlitePlace, type SqliteRows } from "./job-row.ts";
import { createCorrection } from "./older-processes.ts";

function statementsOf({ tables: t, sql }: Store) {
  return {
    job: sql(
      `insert into ${t.job} (id, chain, step, type_name, status, priority, attempt, created_at, ended_at, blockers,
         blockers_left, on_blocker_failure, failed_by, due_at, chain_status, referenced, key, key_scope, key_until, tags,
         context, input, errors, version, pool)
       values (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do nothing`,
    ),
    // Most jobs need only these columns. Binding a null costs as much as a value: a start takes 10.6 us of CPU instead of 12.1.
    plainJob: sql(
      `insert into ${t.job} (id, chain, step, type_name, status, priority, attempt, created_at, blockers, blockers_left,
         on_blocker_failure, chain_status, context, input)
       values (?, ?, ?, ?, 'open', ?, 0, ?, 0, 0, ?, ?, ?, ?)
       on conflict (id) do nothing`,
    ),
    openJob: sql(
      `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt) values (?, ?, ?, ?, ?, ?, 0)`,
    ),
    blocker: sql(`insert into ${t.blocker} (job, position, chain, counted) values (?, ?, ?, ?)`),
    tag: sql(`insert into ${t.tag} (name, value, chain_id) values (?, ?, ?)`),
    markReferenced: sql(`update ${t.job} set referenced = 1 where seq = ? and referenced is null`),
  };
}

/** Writes new jobs. */
export function createInsert(store: Store): SqliteRows["insert"] {
  const statements = statementsOf(store);
  const endChain = createEndChain(store);
  const correctOlderProcesses = createCorrection(store);

  const insertBlockers = (seq: number, { blockers, open }: SqlitePlace): void => {
    const counted = new Set(open.map((chain) => chain.seq));
    for (const [position, chain] of blockers.entries()) {
      statements.blocker.run(seq, position, chain.seq, counted.has(chain.seq) ? 1 : 0);
    }
    for (const chain of counted) statements.markReferenced.run(chain);
  };

  return (start, place, now) => {
    const { status, dueAt, after, key, isBlocker } = place;
    const claimed = claimName(start);
    const hasOwnName = claimed !== start.typeName;
    const isPlain =
      key === undefined && start.tags === undefined && start.blockers.length === 0 && !isBlocker && !hasOwnName;
    if (hasOwnName) correctOlderProcesses();
    const { changes, lastInsertRowid } = isPlain
      ? statements.plainJob.run(...plainValues(start, place, now))
      : statements.job.run(...valuesOf(start, place, now));
    if (Number(changes) === 0) return undefined;
    const seq = Number(lastInsertRowid);
    if (!isPlain && start.blockers.length > 0) insertBlockers(seq, place);
    if (!isPlain && start.tags !== undefined) {
      for (const [name, value] of Object.entries(start.tags)) statements.tag.run(name, value, start.id);
    }
    const job = rowOf(start, place, seq);
    if (status === "failed") {
      store.tally.add(start.typeName, "failed", 1);
      endChain(job.chain, { status, job: seq, reason: undefined, now });
    } else if (status !== "blocked") {
      statements.openJob.run(seq, after?.chain ?? seq, claimed, start.priority, dueAt > now ? 1 : 0, dueAt);
    }
    return job;
  };
}

function rowOf(start: JobStart, { after, status, key, isBlocker }: SqlitePlace, seq: number): JobRow {
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
    start.blockers.length,
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
  ];
}

/** The status of a chain whose first job has this status. */
function chainStatusOf(status: SqlitePlace["status"]): "active" | "failed" {
  return status === "failed" ? "failed" : "active";
}
