import { tagsOf } from "../result-rows.ts";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import { createFailures } from "../failures/failures.ts";
import { createExpiry } from "../upkeep/expiry.ts";
import { heldKeyOf } from "./job-row.ts";

interface DeletedJob {
  readonly seq: number;
  readonly type_name: string;
  readonly status: EndedStatus | "open" | "blocked";
  readonly blockers: number;
}

interface DeletedChain extends DeletedJob {
  readonly held_key: string | null;
  readonly referenced: number | null;
  readonly id: string;
  readonly tags: string | null;
}

const deleted = "seq, type_name, status, blockers";

/** Deletes every trace of a chain: nothing may refer to its jobs afterwards, because their `seq` may be given again. */
export function createDeleteChain(store: Store): (chain: number) => void {
  const { tables: t } = store;
  const deleteJobs = store.sql<DeletedJob>(`delete from ${t.job} where chain = ? returning ${deleted}`);
  const deleteFirst = store.sql<DeletedChain>(
    `delete from ${t.job} where seq = ? returning ${deleted}, ${heldKeyOf(t.job)} as held_key, referenced, id, tags`,
  );
  const deleteBlocking = store.sql(`delete from ${t.blocker} where chain = ?`);
  const deleteRelease = store.sql(`delete from ${t.release} where chain = ?`);
  const forgetFailedBy = store.sql(
    `update ${t.job} set failed_by = null where failed_by = ? and seq in (select job from ${t.blocker} where chain = ?)`,
  );
  const freeKey = store.sql(`delete from ${t.deduplication} where key = ? and chain = ?`);
  const deleteTag = store.sql(`delete from ${t.tag} where name = ? and value = ? and chain_id = ?`);
  const clear = createClear(store);
  const expiry = createExpiry(store);

  return (chain) => {
    for (const job of deleteJobs.all(chain)) clear(job);
    const first = deleteFirst.get(chain);
    if (first === undefined) return;
    clear(first);
    if (first.referenced !== null) deleteRelease.run(chain);
    if (first.held_key !== null) freeKey.run(first.held_key, chain);
    for (const [name, value] of Object.entries(tagsOf(first.tags) ?? {})) deleteTag.run(name, value, first.id);
    forgetFailedBy.run(chain, chain);
    deleteBlocking.run(chain);
    expiry.forget(chain);
  };
}

/** Deletes jobs of a chain except its first one, the last ones first, up to a limit. Returns the number of deleted jobs. */
export function createDeleteJobs(store: Store): (chain: number, limit: number) => number {
  const { tables: t } = store;
  const deleteJobs = store.sql<DeletedJob>(
    `delete from ${t.job} where seq in (select seq from ${t.job} where chain = ? order by chain, step desc limit ?)
     returning ${deleted}`,
  );
  const clear = createClear(store);
  return (chain, limit) => {
    const jobs = deleteJobs.all(chain, limit);
    for (const job of jobs) clear(job);
    return jobs.length;
  };
}

/** Removes the other rows of a deleted job. */
function createClear(store: Store): (job: DeletedJob) => void {
  const { tables: t, tally } = store;
  const deleteOpen = store.sql(`delete from ${t.openJob} where job = ?`);
  const deleteBlockers = store.sql(`delete from ${t.blocker} where job = ?`);
  const expiry = createExpiry(store);
  const failures = createFailures(store);
  return ({ seq, type_name: typeName, status, blockers }) => {
    if (status === "failed") failures.forget(seq);
    if (blockers > 0) {
      expiry.reconsider(seq);
      deleteBlockers.run(seq);
    }
    if (status === "open") deleteOpen.run(seq);
    else if (status !== "blocked") tally.add(typeName, status, -1);
  };
}
