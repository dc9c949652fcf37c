import type { Planting } from "@chainwright/conformance";

/** Creates faults with SQL, in the schema of this quoted name. */
export function plantingIn(execute: (sql: string) => Promise<unknown>, s: string): Planting {
  const run = async (sql: string) => void (await execute(sql));
  return {
    loseFirstJob: async (chainId) => {
      await run(`insert into ${s}.tally_change (n, type_name, status, count)
        select nextval('${s.replaceAll("'", "''")}.position'), type_name, status, -1 from ${s}.job where id = '${chainId}' and status > 0`);
      await run(`delete from ${s}.job where id = '${chainId}'`);
    },
    loseOpenJob: (jobId) => run(`delete from ${s}.open_job where job_id = '${jobId}'`),
    keepKey: (key, chainId) =>
      run(`insert into ${s}.deduplication (key, chain_id, scope) values ('${key}', '${chainId}', 0)`),
    addTag: (name, value, chainId) =>
      run(`insert into ${s}.tag (name, value, chain_id) values ('${name}', '${value}', '${chainId}')`),
    addNote: (jobId) =>
      run(
        `insert into ${s}.log_line (job_id, seq, at, attempt, level, message) values ('${jobId}', 1, 0, 1, 'info', '1')`,
      ),
    addBlocker: (chainId) =>
      run(
        `insert into ${s}.blocker (job_id, position, chain_id, counted) values (gen_random_uuid(), 0, '${chainId}', true)`,
      ),
    setBlockersLeft: (jobId, left) => run(`update ${s}.open_job set blockers_left = ${left} where job_id = '${jobId}'`),
    failsWithBlockers: (jobId) => run(`update ${s}.job set on_blocker_failure = 0 where id = '${jobId}'`),
    addPlace: (limit, key) =>
      run(`insert into ${s}.place (gate, n, job_id)
        select g.gate, coalesce((select max(p.n) from ${s}.place p where p.gate = g.gate), 0) + 1, gen_random_uuid()
        from (select '${limit}' || E'\\x01' || '${key}' as gate) g`),
    losePlaces: (jobId) => run(`update ${s}.place set job_id = null where job_id = '${jobId}'`),
    addToCount: (typeName, by) =>
      run(`insert into ${s}.tally (type_name, status, count) values ('${typeName}', 1, ${by})
        on conflict (type_name, status) do update set count = tally.count + excluded.count`),
  };
}
