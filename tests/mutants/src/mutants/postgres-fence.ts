import type { Mutant } from "../mutant.ts";

/** Keeps a late worker from writing to Postgres, and leases with their worker. */
export const postgresFenceMutants: readonly Mutant[] = [
  {
    name: "Postgres, fence, one outcome: the worker",
    in: "postgres:settleOneFunction",
    find: "where o.job_id = v_job and o.leased_by = p_worker and o.fence",
    replace: "where o.job_id = v_job and o.fence",
  },
  {
    name: "Postgres, fence, one outcome: its number",
    in: "postgres:settleOneFunction",
    find: "and o.leased_by = p_worker and o.fence = p_fence::integer",
    replace: "and o.leased_by = p_worker",
  },
  {
    name: "Postgres, fence, one continuation: the worker",
    in: "postgres:continueOneFunction",
    find: "where o.job_id = v_job and o.leased_by = p_worker and o.fence",
    replace: "where o.job_id = v_job and o.fence",
  },
  {
    name: "Postgres, fence, one continuation: its number",
    in: "postgres:continueOneFunction",
    find: "and o.leased_by = p_worker and o.fence = p_fence::integer",
    replace: "and o.leased_by = p_worker",
  },
  {
    name: "Postgres, fence, a batch of outcomes: the worker",
    in: "postgres:deleteOpenRows",
    find: "(o.leased_by = i.worker and o.fence = i.fence)",
    replace: "o.fence = i.fence",
  },
  {
    name: "Postgres, fence, a batch of outcomes: its number",
    in: "postgres:deleteOpenRows",
    find: "(o.leased_by = i.worker and o.fence = i.fence)",
    replace: "o.leased_by = i.worker",
  },
  {
    name: "Postgres, fence, several ends: the worker",
    in: "postgres:deleteEndedOpenRows",
    find: "and o.leased_by = p_worker and o.fence = i.fence",
    replace: "and o.fence = i.fence",
  },
  {
    name: "Postgres, fence, several ends: its number",
    in: "postgres:deleteEndedOpenRows",
    find: "and o.leased_by = p_worker and o.fence = i.fence",
    replace: "and o.leased_by = p_worker",
  },
  {
    name: "Postgres, fence, several ends: those of two workers are told apart",
    in: "postgres:addEnd",
    find: "if (ends.workerId !== target.workerId) return false;",
    replace: "",
  },
  {
    name: "Postgres, fence, an attempt that is put off",
    in: "postgres:deferJobs",
    find: "and o.leased_by = i.worker and o.fence = i.fence\n      returning",
    replace: "\n      returning",
  },
  {
    name: "Postgres, fence: it does not go back with a retry",
    in: "postgres:reopenFunction",
    find: "v_job.step, 0, v_job.fence, p_open_chains,",
    replace: "v_job.step, 0, 0, p_open_chains,",
  },
  {
    name: "Postgres, fence: an end keeps it",
    in: "postgres:writeFirstRows",
    find: 'fence: "e.fence",',
    replace: "",
  },
  {
    name: "Postgres, fence: several ends keep it",
    in: "postgres:writeChains",
    find: 'fence: "g.fence",',
    replace: "",
  },
  {
    name: "Postgres, fence: several ends of later steps keep it",
    in: "postgres:writeSteps",
    find: "attempt = g.attempt, fence = g.fence,",
    replace: "attempt = g.attempt,",
  },
  {
    name: "Postgres, fence: the end of one keeps it",
    in: "postgres:settleOneFunction",
    find: "fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,\n      chain_status",
    replace: "started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,\n      chain_status",
  },
  {
    name: "Postgres, fence: it does not go back with an attempt that does not count",
    in: "postgres:deferJobs",
    find: "attempt = o.attempt - i.uncounted,",
    replace: "attempt = o.attempt - i.uncounted, fence = o.fence - i.uncounted,",
  },
  {
    name: "Postgres, fence: a transaction of an attempt",
    in: "postgres:holdFenceFunction",
    find: "and o.leased_by = p_worker and o.fence = p_fence::integer\n  for share",
    replace: "\n  for share",
  },
  {
    name: "Postgres, fence: it holds until the attempt's transaction has committed",
    in: "postgres:holdFenceFunction",
    find: "o.fence = p_fence::integer\n  for share;",
    replace: "o.fence = p_fence::integer;",
  },
  {
    name: "Postgres, lease: a renewal extends it",
    in: "postgres:renewFunction",
    find: "set leased_until = v_now + w.lease from own w",
    replace: "set leased_until = o.leased_until from own w",
  },
  {
    name: "Postgres, lease: a renewal extends its own worker's only",
    in: "postgres:renewFunction",
    find: "where o.leased_by = p_worker and o.fence = h.fence\n    for no key update of o",
    replace: "for no key update of o",
  },
  {
    name: "Postgres, lease: a renewal reports which are lost",
    in: "postgres:renewFunction",
    find: "where h.n not in (select w.n from own w)",
    replace: "where h.n < 0 and h.n not in (select w.n from own w)",
  },
  {
    name: "Postgres, lease: a renewal reports what it could not extend",
    in: "postgres:renewFunction",
    find: "where h.n not in (select w.n from own w)",
    replace: "where o.job_id is null",
  },
  {
    name: "Postgres, lease: a renewal waits for no open transaction",
    in: "postgres:renewFunction",
    find: "for no key update of o skip locked",
    replace: "for update of o",
  },
];
