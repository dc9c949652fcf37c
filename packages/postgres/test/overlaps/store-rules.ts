import type { Pool } from "pg";

/** Rules for the tables after exchanges have resumed all releases. */
export const atRest: Rules = {
  "nothing is left to release": "select r.chain_id from S.release r",
};

type Rules = Readonly<Record<string, string>>;

/** Rules for the tables whenever no transaction is open. Returns the rows that break a rule, by rule. */
const rules: Rules = {
  "an open job has its job, which is open": `select o.job_id from S.open_job o left join S.job j on j.id = o.job_id
    where j.id is null or j.status <> 0 or j.chain_id <> o.chain_id or j.step <> o.step or j.type_name <> o.type_name`,
  "a job that is open has its open job": `select j.id from S.job j left join S.open_job o on o.job_id = j.id
    where j.status = 0 and o.job_id is null`,
  "a job has its chain's first job": `select j.id from S.job j left join S.job f on f.id = j.chain_id and f.chain_status is not null
    where f.id is null`,
  "an active chain has one open job, another none": `select f.id from S.job f left join S.open_job o on o.chain_id = f.id
    where f.chain_status is not null group by f.id, f.chain_status having count(o.job_id) <> case f.chain_status when 0 then 1 else 0 end`,
  "a chain that has ended knows its last job": `select f.id from S.job f left join S.job e on e.id = f.ended_job_id
    where f.chain_status > 0 and (e.id is null or e.status <> f.chain_status or e.chain_id <> f.id)
      or f.chain_status = 0 and f.ended_job_id is not null`,
  "a blocker has its job and its chain": `select b.job_id from S.blocker b left join S.job j on j.id = b.job_id
    left join S.job f on f.id = b.chain_id where j.id is null or j.status <> 1 and f.id is null`,
  "a job is blocked while a chain that it waits for is open": `select o.job_id from S.open_job o
    left join (S.blocker b join S.job f on f.id = b.chain_id and f.chain_status <> 1) on b.job_id = o.job_id
    group by o.job_id, o.state, o.blockers_left
    having count(distinct b.chain_id) <> o.blockers_left or (o.state = 2) <> (o.blockers_left > 0)`,
  "a job that does not wait for broken chains has failed with them": `select o.job_id from S.open_job o
    join S.job j on j.id = o.job_id join S.blocker b on b.job_id = o.job_id join S.job f on f.id = b.chain_id
    where j.on_blocker_failure = 0 and f.chain_status > 1`,
  "what failed or was cancelled is noted, nothing else is": `select coalesce(k.job_id, f.id) from S.stopped k
    full join (select f.* from S.job f where f.chain_status > 1) f on f.id = k.chain_id and f.ended_job_id = k.job_id
    where f.id is null or k.job_id is null`,
  "a key has its chain, an active one unless it may outlive it": `select d.chain_id from S.deduplication d
    left join S.job f on f.id = d.chain_id and f.key = d.key and f.chain_status is not null
    where f.id is null or d.scope = 0 and f.chain_status <> 0`,
  "a tag is in the table of tags exactly if its chain has it": `select coalesce(g.chain_id, f.id) from S.tag g
    full join (select f.id, t.key, t.value from S.job f cross join jsonb_each_text(f.tags::jsonb) t) f
    on f.id = g.chain_id and f.key = g.name and f.value = g.value where f.id is null or g.chain_id is null`,
  "the tally is true": `select c.type_name from (
      select j.type_name, j.status, 1 as count from S.job j where j.status > 0
      union all select t.type_name, t.status, -t.count from S.tally t
      union all select t.type_name, t.status, -t.count from S.tally_change t) c
    group by c.type_name, c.status having sum(c.count) <> 0`,
  ...atRest,
  "retention comes by each chain": `select f.id from S.job f where f.chain_status is not null
      and f.position <= (select u.floor from S.upkeep u where u.chore = 'chains')
      and not exists (select from S.expiry x where x.chain_id = f.id)`,
};

export async function brokenRules(pool: Pool, schema: string, of = rules): Promise<readonly string[]> {
  const parts = Object.entries(of).map(
    ([rule, text]) => `select $rule$${rule}$rule$ as rule from (${text.replaceAll("S.", `"${schema}".`)}) broken`,
  );
  const { rows } = await pool.query<{ rule: string }>(parts.join(" union all "));
  return [...new Set(rows.map(({ rule }) => rule))];
}
