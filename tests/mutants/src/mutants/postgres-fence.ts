import type { Mutant } from "../mutant.ts";

const functions = "packages/postgres/src/functions";
const operations = "packages/postgres/src/operations";

/** What keeps a late worker of the Postgres store from writing, and its leases its own. */
export const postgresFenceMutants: readonly Mutant[] = [
  {
    name: "Postgres, fence, one outcome: the worker",
    file: `${functions}/one.ts`,
    find: "where o.job_id = v_job and o.leased_by = p_worker and o.fence",
    replace: "where o.job_id = v_job and o.fence",
  },
  {
    name: "Postgres, fence, one outcome: its number",
    file: `${functions}/one.ts`,
    find: "and o.leased_by = p_worker and o.fence = p_fence::integer",
    replace: "and o.leased_by = p_worker",
  },
  {
    name: "Postgres, fence, a batch of outcomes: the worker",
    file: `${functions}/settle-ended.ts`,
    find: "(o.leased_by = i.worker and o.fence = i.fence)",
    replace: "o.fence = i.fence",
  },
  {
    name: "Postgres, fence, a batch of outcomes: its number",
    file: `${functions}/settle-ended.ts`,
    find: "(o.leased_by = i.worker and o.fence = i.fence)",
    replace: "o.leased_by = i.worker",
  },
  {
    name: "Postgres, fence, an attempt that is put off",
    file: `${operations}/settle.ts`,
    find: "and o.leased_by = i.worker and o.fence = i.fence\n      returning",
    replace: "\n      returning",
  },
  {
    name: "Postgres, fence: it does not go back with a retry",
    file: `${functions}/reopen.ts`,
    find: "v_job.step, 0, v_job.fence, p_open_chains,",
    replace: "v_job.step, 0, 0, p_open_chains,",
  },
  {
    name: "Postgres, fence: an end keeps it",
    file: `${functions}/close.ts`,
    find: "fence = case when e.job_id = j.id then e.fence else j.fence end,",
    replace: "",
  },
  {
    name: "Postgres, fence: the end of one keeps it",
    file: `${functions}/one.ts`,
    find: "fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,\n      chain_status",
    replace: "started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,\n      chain_status",
  },
  {
    name: "Postgres, fence: it does not go back with an attempt that does not count",
    file: `${operations}/settle.ts`,
    find: "attempt = o.attempt - i.uncounted,",
    replace: "attempt = o.attempt - i.uncounted, fence = o.fence - i.uncounted,",
  },
  {
    name: "Postgres, fence: a transaction of an attempt",
    file: `${operations}/hold-fence.ts`,
    find: "and o.leased_by = p_worker and o.fence = p_fence::integer\n  for share",
    replace: "\n  for share",
  },
  {
    name: "Postgres, fence: it holds until the attempt's transaction has committed",
    file: `${operations}/hold-fence.ts`,
    find: "o.fence = p_fence::integer\n  for share;",
    replace: "o.fence = p_fence::integer;",
  },
  {
    name: "Postgres, lease: a renewal extends it",
    file: `${operations}/renew.ts`,
    find: "set leased_until = v_now + w.lease from own w",
    replace: "set leased_until = o.leased_until from own w",
  },
  {
    name: "Postgres, lease: a renewal extends its own worker's only",
    file: `${operations}/renew.ts`,
    find: "    where o.leased_by = p_worker and o.fence = h.fence\n    for update of o",
    replace: "    for update of o",
  },
  {
    name: "Postgres, lease: a renewal tells which are lost",
    file: `${operations}/renew.ts`,
    find: "  where h.n not in (select w.n from own w)",
    replace: "  where h.n < 0 and h.n not in (select w.n from own w)",
  },
  {
    name: "Postgres, lease: a renewal reports what it could not extend",
    file: `${operations}/renew.ts`,
    find: "  where h.n not in (select w.n from own w)",
    replace: "  where o.job_id is null",
  },
  {
    name: "Postgres, lease: a renewal waits for no open transaction",
    file: `${operations}/renew.ts`,
    find: "for update of o skip locked",
    replace: "for update of o",
  },
];
