import { arrayOf } from "../array-parameter.ts";
import type { CallOptions, TickQuery, TickRecord } from "chainwright/adapter";
import { tickColumns, tickRecordOf } from "../schedule-rows.ts";
import type { Store } from "../store.ts";

/** Not prepared: the plan depends on how many ticks are asked for. */
export async function listTicks<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  query: TickQuery,
  { tx }: CallOptions<Tx>,
): Promise<readonly TickRecord[]> {
  const select = `select ${tickColumns} from ${s}.tick t`;
  const statement =
    "chainIds" in query
      ? { text: `${select} where t.chain_id = any($1::text::uuid[])`, parameters: [arrayOf(query.chainIds)] }
      : {
          text: `select ${tickColumns} from json_array_elements_text($1::text::json) with ordinality asked (id, place)
cross join lateral (
  select t.* from ${s}.tick t where t.schedule_id = asked.id and t.at < $2::text::double precision
  order by t.schedule_id desc, t.at desc limit $3::text::bigint) t
order by asked.place, t.at desc`,
          parameters: [JSON.stringify(query.scheduleIds), String(query.before ?? Infinity), String(query.limit)],
        };
  return (await run(tx, { ...statement, prepare: false })).map(tickRecordOf);
}
