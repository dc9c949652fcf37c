import type { Pool } from "pg";

/** What must hold of signals and waits whenever no transaction is open, as queries for what breaks it. */
const rules = (s: string): Readonly<Record<string, string>> => ({
  "a job waits beside a signal": `select o.job_id from ${s}.open_job o join ${s}.signal g
    on g.chain_id = o.chain_id and g.type_name = split_part(o.type_name, E'\\x01', 1) and g.taken_by is null where o.waits`,
  "a job waits though it has received enough": `select o.job_id from ${s}.open_job o join ${s}.job j on j.id = o.job_id
    where o.waits and json_array_length(j.received::json) >= coalesce((j.waits::json->'collect'->>'go')::integer, 1)`,
  "a job runs before its wait is over": `select o.job_id from ${s}.open_job o join ${s}.job j on j.id = o.job_id
    where o.waits is false and json_array_length(j.received::json) < coalesce((j.waits::json->'collect'->>'go')::integer, 1)
      and (j.due_at is null or j.due_at > extract(epoch from clock_timestamp()) * 1000)`,
  "a job has more or less than it took": `select j.id from ${s}.job j
    where j.received is not null and json_array_length(j.received::json) <> (select count(*) from ${s}.signal g where g.taken_by = j.id)`,
  "a waiting job is in a state of others": `select o.job_id from ${s}.open_job o
    where o.waits and (o.state not in (1, 2) or o.leased_by is not null)`,
  "a job that does not wait is blocked": `select o.job_id from ${s}.open_job o where o.waits is not true and o.state = 2`,
  "a topic has a job that does not wait": `select t.job_id from ${s}.topic t
    where not exists (select from ${s}.open_job o where o.job_id = t.job_id and o.waits)`,
  "a job waits for a topic that does not have it": `select o.job_id from ${s}.open_job o join ${s}.job j on j.id = o.job_id
    cross join json_array_elements_text(j.waits::json->'topics') as w(topic)
    where o.waits and not exists (select from ${s}.topic t where t.topic = w.topic and t.job_id = o.job_id)`,
  "a job has missed what is kept": `select o.job_id from ${s}.open_job o join ${s}.topic t on t.job_id = o.job_id
    join ${s}.publication p on p.topic = t.topic
    where o.waits and not exists (select from ${s}.signal g where g.chain_id = o.chain_id and g.signal_id = p.signal_id)`,
  "a signal has no chain": `select g.chain_id from ${s}.signal g where not exists (select from ${s}.job f where f.id = g.chain_id)`,
  "a chain has signals and does not know it": `select g.chain_id from ${s}.signal g join ${s}.job f on f.id = g.chain_id
    where f.signals is not true`,
});

/** The rules that are broken. `accepted` are signals that calls have accepted: they are there unless their chain was deleted. */
export async function brokenSignalRules(
  pool: Pool,
  s: string,
  accepted: readonly { readonly signalId: string; readonly chainId: string }[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [name, text] of Object.entries(rules(s))) {
    const { rows } = await pool.query<Record<string, string>>(text);
    if (rows.length > 0) broken.push(`${name}: ${rows.length}`);
  }
  const lost = await pool.query(
    `select from json_to_recordset($1::json) as a("signalId" text, "chainId" uuid)
    where exists (select from ${s}.job f where f.id = a."chainId")
      and not exists (select from ${s}.signal g where g.chain_id = a."chainId" and g.signal_id = a."signalId")`,
    [JSON.stringify(accepted)],
  );
  if (lost.rows.length > 0) broken.push(`signals are lost: ${lost.rows.length}`);
  return broken;
}
