import { jobStatus } from "../rows.ts";
import { claimNameOf } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { now, outerFunction } from "../sql-function.ts";

/**
 * Returns the chains that were started because chains failed as they began, in the statement that began them. `p_chains` are numbers and
 * ids as JSON.
 */
export function followersOfFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "followers_of_v1",
    parameters: "p_alone text, p_now text, p_chains text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};`,
    body: `  return query
  select ${resultRow("unblocked", {
    n: "i.n",
    jobId: "j.id",
    chainId: "j.id",
    typeName: "j.type_name",
    status: jobStatus("v_now"),
    dueInMs: "o.due_at - v_now",
    claimName: claimNameOf("j"),
    followUp: "1",
  })}
  from json_to_recordset(p_chains::json) as i(n integer, id uuid)
  join ${s}.compensation c on c.chain_id = any(array[i.id])
  join ${s}.job j on j.id = any(array[c.follower])
  join ${s}.open_job o on o.job_id = any(array[j.id])
  order by i.n, j.position;`,
  });
}
