import type { Pool } from "pg";
import { ageMs, rowsAtOnce, sayHow } from "./migrated-store.ts";

/** Inserts chains of one job that have completed during the last 13 days, in the order of their ids, as a store that is in use has. */
export async function fillHistory(pool: Pool, rows: number, log: (line: string) => void): Promise<void> {
  const { rowCount } = await pool.query("select from chainwright.job limit 1");
  if (rowCount !== 0) return;
  const began = Date.now();
  for (let done = 0; done < rows; done += rowsAtOnce) {
    const last = Math.min(rows, done + rowsAtOnce);
    await pool.query(
      `insert into chainwright.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt,
        position, created_at, started_at, ended_at, ended_by, ended_job_id, input, output)
      select id, id, 1, 'past', 0, 0, 1, 1, 1, n, at, at + 5, at + 10, 'a worker of the past', id, '{"n":' || n || '}', '"done"'
      from (
        select n, at, (lpad(to_hex(at::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid
          as id
        from (select n, $4::double precision + floor($5::double precision * n / $3) as at from generate_series($1::integer + 1, $2::integer) n) a) b`,
      [done, last, rows, began - ageMs, ageMs],
    );
    sayHow(last, { historyRows: rows, log }, began);
  }
  await pool.query("insert into chainwright.tally (type_name, status, count) values ('past', 1, $1)", [rows]);
  await pool.query("select setval('chainwright.position', $1)", [rows + 1]);
  await pool.query("vacuum analyze chainwright.job");
}

/** Inserts chains of one ready job, which no worker takes because none has its type. */
export async function fillOpenJobs(pool: Pool, rows: number): Promise<void> {
  const { rowCount } = await pool.query("select from chainwright.open_job limit 1");
  if (rowCount !== 0) return;
  await pool.query(
    `with started as (
      insert into chainwright.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt,
        position, created_at, input)
      select id, id, 1, 'waiting', 0, 0, 0, 0, 0, nextval('chainwright.position'), $2, '1'
      from (select gen_random_uuid() as id from generate_series(1, $1::integer)) a
      returning id, position)
    insert into chainwright.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name)
    select id, id, position, $2, 0, 1, 0, 0, 0, -1, false, 'waiting' from started`,
    [rows, Date.now()],
  );
  await pool.query("vacuum analyze chainwright.open_job");
}
