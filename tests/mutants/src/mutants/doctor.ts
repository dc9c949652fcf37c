import type { Mutant } from "../mutant.ts";

/** Keeps the doctor from false alarms and its repairs from harm. */
export const doctorMutants: readonly Mutant[] = [
  {
    name: "doctor: a repair that is not needed any more is no finding",
    in: "core:repairFaults",
    find: 'if (outcome !== "gone") findings.push(repaired(fault, outcome));',
    replace: "findings.push(repaired(fault, outcome));",
  },
  {
    name: "doctor, in-process: a release that is still to come is no fault",
    in: "core:isReleasing",
    find: "return release.rows.indexOf(row, release.at) >= 0;",
    replace: "return false;",
  },
  {
    name: "doctor, in-process: a worker that lives keeps its leases",
    in: "core:isHeldByNoOne",
    find: "return (store.workers.get(lease.workerId)?.aliveUntil ?? 0) <= now;",
    replace: "return true;",
  },
];

export const postgresDoctorMutants: readonly Mutant[] = [
  {
    name: "doctor, Postgres: a release that is still to come is no fault",
    in: "postgres:waitsFor",
    find: "where b.job_id = ${job} and b.counted and (f.chain_status is distinct from 1 or exists (",
    replace: "where b.job_id = ${job} and b.counted and (f.chain_status is distinct from 1 or false and exists (",
  },
  {
    name: "doctor, Postgres: counts are compared at one moment",
    in: "postgres:compareCounts",
    find: '"set transaction isolation level repeatable read, read only"',
    replace: '"set transaction read only"',
  },
  {
    name: "doctor, Postgres: counts are corrected by one of two who try",
    in: "postgres:correctCounts",
    find: "await send(store, tx, `lock table ${s}.tally in share update exclusive mode nowait`);",
    replace: "",
  },
  {
    name: "doctor, Postgres: a job that is put back has a fence of its own",
    in: "postgres:reopen",
    find: "j.fence + 1000000",
    replace: "j.fence",
  },
  {
    name: "doctor, Postgres: a worker that lives keeps its leases",
    in: "postgres:repairs",
    find: 'and not exists (select from ${s}.worker w where w.id = $2::text and w.alive_until > ${momentOf("$3")}) returning 1',
    replace: "and coalesce($3::text, '') is not null returning 1",
  },
];

export const sqliteDoctorMutants: readonly Mutant[] = [
  {
    name: "doctor, SQLite: a release that is still to come is no fault",
    in: "sqlite:waitsFor",
    find: "(f.chain_status is not 'completed' or exists (",
    replace: "(f.chain_status is not 'completed' or false and exists (",
  },
];
