import type { FaultKind } from "chainwright";
import type { RepairOutcome, StoreFault } from "chainwright/adapter";
import { claimNameOf } from "../claim-names.ts";
import type { Store } from "../store.ts";
import { createDeleteJobs } from "../rows/delete-chain.ts";
import { type DependentRow, type SqliteRows, dependentColumns } from "../rows/job-row.ts";
import { createMendPlaces } from "./places.ts";
import { createDropNotes } from "./notes.ts";
import { hasTag, waitsFor } from "./walks.ts";

type Repair = (fault: StoreFault, limit: number, now: number) => RepairOutcome;

/** Repairs a fault if it is still there. SQLite has one writer, so no one can change what this call has found. */
export function createRepair(store: Store, rows: SqliteRows): Repair {
  const { tables: t, sql } = store;
  const seqOf = sql<{ seq: number }>(`select seq from ${t.job} where id = ?`);
  const rowOf = (id: string | undefined): number => {
    const number = /^row (\d+)$/.exec(id ?? "")?.[1];
    return number === undefined ? (seqOf.get(id ?? "")?.seq ?? -1) : Number(number);
  };
  const outcome = ({ changes }: { readonly changes: number | bigint }): RepairOutcome =>
    Number(changes) > 0 ? "repaired" : "gone";
  const statements = statementsOf(store);
  const deleteJobs = createDeleteJobs(store);
  const recount = createRecount(store, rows);
  const dropNotes = createDropNotes(store);
  const mendPlaces = createMendPlaces(store);

  const mend: Partial<Record<FaultKind, Repair>> = {
    "job-without-chain": ({ id }, limit) => {
      const chain = rowOf(id);
      if (statements.firstJob.get(chain) !== undefined) return "gone";
      return outcome({ changes: deleteJobs(chain, limit) });
    },
    "open-job-without-job": ({ id }) => outcome(statements.dropOpen.run(rowOf(id))),
    "chain-without-open-job": ({ id }, _limit, now) => outcome(statements.addReady.run(now, rowOf(id), rowOf(id))),
    "note-without-job": ({ id }) => dropNotes(rowOf(id)),
    "lease-of-no-one": ({ id, workerId }, _limit, now) =>
      outcome(statements.dropLease.run(rowOf(id), workerId ?? "", workerId ?? "", now)),
    "place-without-job": (fault) => mendPlaces(fault, rowOf(fault.id)),
    "job-without-place": (fault) => mendPlaces(fault, rowOf(fault.id)),
    "blocker-without-job": ({ id }) => outcome(statements.dropBlockers.run(rowOf(id))),
    "stopped-without-job": ({ id }) => outcome(statements.dropFailure.run(rowOf(id))),
    "missed-release": ({ id }, _limit, now) => recount(id, now),
    "missed-failure": ({ id, chainId }) =>
      outcome(statements.releaseAgain.run(rowOf(id), rowOf(chainId), rowOf(id), rowOf(id))),
    "stale-key": ({ id }) => outcome(statements.dropKey.run(id)),
    "stale-tag": ({ id, chainId }) => outcome(statements.dropTag.run(chainId ?? "", id, id)),
  };
  return (fault, limit, now) => mend[fault.kind]?.(fault, limit, now) ?? "left";
}

function statementsOf({ tables: t, sql }: Store) {
  return {
    firstJob: sql<{ seq: number }>(`select seq from ${t.job} where seq = ? and chain is null`),
    dropOpen: sql(
      `delete from ${t.openJob} where job = ? and not exists (select 1 from ${t.job} j where j.seq = job and j.status = 'open')`,
    ),
    // The new fence is higher than any that the lost entry may have given, so an earlier holder of the job can write nothing.
    addReady: sql(
      `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt, fence)
       select j.seq, coalesce(j.chain, j.seq), ${claimNameOf("j")}, j.priority, 0, ?, j.attempt, j.fence + 1000000
       from ${t.job} j
       where j.status = 'open' and j.seq = coalesce(
         (select n.seq from ${t.job} n where n.chain = ? order by n.chain, n.step desc limit 1), ?)
       on conflict (job) do nothing`,
    ),
    dropLease: sql(
      `update ${t.openJob} set leased_by = null, leased_until = null, started_at = null
       where job = ? and leased_by = ?
         and not exists (select 1 from ${t.worker} w where w.id = ? and w.alive_until > ?)`,
    ),
    dropBlockers: sql(
      `delete from ${t.blocker} where job = ? and not exists (select 1 from ${t.job} j where j.seq = job)`,
    ),
    dropFailure: sql(
      `delete from ${t.failure} where job = ? and not exists (
         select 1 from ${t.job} j where j.seq = job and j.status = 'failed')`,
    ),
    dropKey: sql(
      `delete from ${t.deduplication} where key = ? and not exists (
         select 1 from ${t.job} f where f.seq = ${t.deduplication}.chain and f.chain is null
           and (f.key_scope <> 'active' or f.chain_status = 'active'))`,
    ),
    dropTag: sql(
      `delete from ${t.tag} where chain_id = ? and name = (? ->> 0) and value = (? ->> 1) and not exists (
         select 1 from ${t.job} f where f.id = ${t.tag}.chain_id and f.chain is null
           and ${hasTag("f.tags", `${t.tag}.name`, `${t.tag}.value`)})`,
    ),
    // An exchange continues the release of the chain's end from this job.
    releaseAgain: sql(
      `insert into ${t.release} (chain, from_job)
       select f.seq, ? from ${t.job} f where f.seq = ? and f.chain_status in ('failed', 'cancelled')
         and exists (select 1 from ${t.job} j where j.seq = ? and j.status = 'blocked')
         and not exists (select 1 from ${t.release} r where r.chain = f.seq and r.from_job <= ?)
       on conflict (chain) do update set from_job = min(from_job, excluded.from_job)`,
    ),
  };
}

/** Counts the blockers that a job waits for, and releases it if there are none. */
function createRecount({ tables: t, sql }: Store, rows: SqliteRows): (id: string, now: number) => RepairOutcome {
  const find = sql<DependentRow & { readonly waits: number }>(
    `select ${dependentColumns}, ${waitsFor(t)} as waits from ${t.job} j where j.id = ? and j.status = 'blocked'`,
  );
  return (id, now) => {
    const job = find.get(id);
    if (job === undefined || (job.blockers_left === job.waits && job.waits > 0)) return "gone";
    if (job.waits > 0) rows.countDown(job, job.waits);
    else rows.unblock(job, Math.max(job.due_at ?? now, now), now);
    return "repaired";
  };
}
