import type Database from "better-sqlite3";

/**
 * What must be true of the tables of limits at every commit. Returns what is wrong: places that are counted without a job that holds
 * them, more jobs than places, jobs that are ready without a place, lanes that claims do not find although a job waits in them.
 */
export function auditLimits(database: Database.Database): readonly unknown[] {
  const placed = `select g.id, g.name, g.key, g.taken, coalesce(g.concurrency, r.concurrency) as concurrency,
      (select count(*) from chainwright_lane_gate lg join chainwright_open_job o on o.lane = lg.lane
         where lg.gate = g.id and o.placed is not null) as holders
    from chainwright_gate g left join chainwright_limit_rule r on r.name = g.name`;
  const questions = {
    "a count that differs from the jobs that hold a place": `select * from (${placed}) where taken <> holders`,
    "more jobs than places": `select * from (${placed}) where holders > concurrency`,
    "a job under limits that is ready without a place": `select o.* from chainwright_open_job o join chainwright_job j on j.seq = o.job
       where j.limits is not null and (o.lane is null or o.state = 0 and o.placed is null)`,
    "a job in a lane that holds a place": `select * from chainwright_open_job where state = 3 and placed is not null`,
    "a job in no lane that is parked": `select * from chainwright_open_job where state in (3, 4) and coalesce(lane, 0) = 0`,
    "an idle lane in which a job waits": `select * from chainwright_lane l where state = 0 and exists (
       select 1 from chainwright_open_job o where o.lane = l.id and o.state in (3, 4))`,
    "a job in the inbox in whose lane another one waits": `select o.* from chainwright_open_job o
       left join chainwright_lane l on l.id = -o.lane where o.state = 3 and o.lane < 0 and coalesce(l.state, 1) <> 0`,
    "a closed lane that no place opens": `select * from chainwright_lane l where state = 2 and not exists (
       select 1 from chainwright_closed_name c where c.gate = l.blocked_by and c.name = l.name)`,
    "a lane with another rank than its first job": `select * from chainwright_lane l where state > 0 and rank < (
       select max(priority) from chainwright_open_job o where o.lane = l.id and o.state = 3)`,
    // A place that became free has opened a lane of each claim name.
    "closed lanes of a gate with a free place": `select l.* from chainwright_lane l join (${placed}) g on g.id = l.blocked_by
       join chainwright_closed_name c on c.gate = g.id and c.name = l.name
       where l.state = 2 and c.look_at is null and g.taken < g.concurrency and not exists (
         select 1 from chainwright_lane n where n.state = 1 and n.name = l.name)`,
  };
  return Object.entries(questions).flatMap(([title, sql]) => {
    const rows = database.prepare(sql).all();
    return rows.length === 0 ? [] : [{ title, rows }];
  });
}
