import type { Planting } from "@chainwright/conformance";

interface Sql {
  prepare(sql: string): { run(...values: string[]): unknown };
}

/** Faults by SQL, on a connection of the test's own. */
export function plantingIn(own: Sql): Planting {
  const run = async (sql: string, ...values: string[]) => void own.prepare(sql).run(...values);
  const seq = "(select seq from chainwright_job where id = ?)";
  return {
    loseFirstJob: async (chainId) => {
      await run(
        "update chainwright_tally set count = count - 1 where type_name = (select type_name from chainwright_job where id = ?) and status = 'completed'",
        chainId,
      );
      await run("delete from chainwright_job where id = ?", chainId);
    },
    loseOpenJob: (jobId) => run(`delete from chainwright_open_job where job = ${seq}`, jobId),
    keepKey: (key, chainId) =>
      run(`insert into chainwright_deduplication (key, chain) values (?, ${seq})`, key, chainId),
    addTag: (name, value, chainId) =>
      run("insert into chainwright_tag (name, value, chain_id) values (?, ?, ?)", name, value, chainId),
    addNote: () =>
      run(
        "insert into chainwright_log_line (job, seq, attempt, at, level, message) values (1000000, 1, 1, 0, 'info', '1')",
      ),
    addBlocker: (chainId) =>
      run(`insert into chainwright_blocker (job, position, chain, counted) values (1000000, 0, ${seq}, 1)`, chainId),
    setBlockersLeft: (jobId, left) =>
      run("update chainwright_job set blockers_left = cast(? as integer) where id = ?", String(left), jobId),
    failsWithBlockers: (jobId) => run("update chainwright_job set on_blocker_failure = 'fail' where id = ?", jobId),
    addPlace: (limit, key) =>
      run("update chainwright_gate set taken = taken + 1 where name = ? and key = ?", limit, key),
    losePlaces: async (jobId) => {
      const gates = `(select gate from chainwright_lane_gate where lane = (select lane from chainwright_open_job where job = ${seq}))`;
      await run(`update chainwright_gate set taken = taken - 1 where id in ${gates}`, jobId);
      await run(`update chainwright_closed_name set look_at = 0 where gate in ${gates}`, jobId);
      await run(`update chainwright_open_job set placed = null where job = ${seq}`, jobId);
    },
    addToCount: (typeName, by) =>
      run(
        `insert into chainwright_tally (type_name, status, count) values (?, 'completed', cast(? as integer))
         on conflict (type_name, status) do update set count = count + excluded.count`,
        typeName,
        String(by),
      ),
  };
}
