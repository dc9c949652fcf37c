import type { Examiner } from "../store/open-store.ts";
import type { Rule } from "./rule.ts";

const samples = 3;

/** Readable lines about some of the jobs and chains that break a rule. */
export async function explain({ rows }: Pick<Examiner, "rows">, { name, sql }: Rule): Promise<readonly string[]> {
  const found = await rows(`${sql.replace("count(*)", "*")} limit ${samples}`);
  const lines = [`${name}:`];
  for (const [first] of found) {
    const id = String(first);
    lines.push(`  ${id} ${isId.test(id) ? JSON.stringify(await factsOf(rows, id)) : ""}`);
  }
  return lines;
}

/** Others are keys. */
const isId = /^[0-9a-f-]{36}$/;

async function factsOf(rows: Examiner["rows"], id: string): Promise<object> {
  return {
    job: await rows(`select * from fault_job where id = '${id}'`),
    gone: await rows(`select * from fault_gone where id = '${id}'`),
    changes: await rows(`select * from fault_change where job_id = '${id}' order by n`),
    effects: await rows(`select * from fault_effect where job_id = '${id}'`),
    said: await rows(`select kind from fault_said where id = '${id}'`),
    reported: await rows(`select kind, times, calm_times from fault_reported where id = '${id}'`),
  };
}
