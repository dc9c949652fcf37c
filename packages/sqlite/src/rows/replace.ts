import { claimName, heldKey } from "chainwright/adapter";
import { storedLimits, storedWeight } from "../limits/stored-limits.ts";
import { createLimitTriggers } from "../limits/triggers.ts";
import type { Store } from "../store.ts";
import { storedVersion, type SqliteRows } from "./job-row.ts";
import { createCorrection } from "./older-processes.ts";

/** Gives the first jobs of chains what later starts with their keys bring. */
export function createReplace(store: Store): SqliteRows["replace"] {
  const { tables: t, sql } = store;
  // A new input with the version of the old one would be taken for one of an older process, see `createCorrection`.
  const forgetVersion = sql(`update ${t.job} set version = null where seq = ? and version is not null`);
  const replaceJob = sql(
    `update ${t.job} set input = ?, version = ?, pool = ?, priority = ?, context = ?, key_until = ?, limits = ?, weight = ?
     where seq = ?`,
  );
  const replaceOpen = sql(
    `update ${t.openJob} set type_name = ?, priority = ?, state = ?, due_at = ?, lane = ? where job = ?`,
  );
  const hold = sql(`update ${t.deduplication} set until = ? where key = ? and chain = ?`);
  const correctOlderProcesses = createCorrection(store);
  const prepareLimits = createLimitTriggers(store);

  return ({ seq }, start, { dueAt, status, until, heldUntil }) => {
    const { typeName, input, version, pool, priority, context, deduplication, limits } = start;
    const name = claimName(start);
    if (name !== typeName) correctOlderProcesses();
    if (limits !== undefined) prepareLimits();
    forgetVersion.run(seq);
    const underLimits = [storedLimits(limits), storedWeight(limits)] as const;
    replaceJob.run(input, storedVersion(version), pool ?? null, priority, context ?? null, until, ...underLimits, seq);
    // Under limits it begins like a new one: the next claim puts it into its lane. A lane that it was in notices when it is visited.
    const state = status === "scheduled" || limits !== undefined ? 1 : 0;
    replaceOpen.run(name, priority, state, dueAt, limits === undefined ? null : 0, seq);
    if (deduplication !== undefined) hold.run(heldUntil, heldKey(deduplication), seq);
  };
}
