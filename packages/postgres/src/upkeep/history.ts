import {
  historySpans,
  type CallOptions,
  type CountedAttempts,
  type HistoryQuery,
  type HistoryReply,
} from "chainwright/adapter";
import { countsOf, momentOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** The table of what workers have counted. Rows are written with heartbeats only, and each type has a bounded number of them. An empty type name: all types. */
export function historyTable(s: string): string {
  return `create table ${s}.history (
  at double precision not null,
  completed bigint not null,
  failed bigint not null,
  retried bigint not null,
  longest_wait_ms double precision not null,
  every_ms integer not null,
  type_name text collate "C" not null,
  run_times bigint[] not null,
  constraint history_pkey primary key (every_ms, at, type_name)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`;
}

const spans = historySpans.map(({ everyMs }) => `(${everyMs})`).join(", ");

/** Adds what a worker has counted to the totals of this moment. In the order of the key, so that workers wait for each other in turn. */
export async function addCounted<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  counted: readonly CountedAttempts[],
  { tx, now }: CallOptions<Tx>,
): Promise<void> {
  const rows = counted.map(({ typeName, completed, failed, retried, longestWaitMs, runTimes }) => {
    return [typeName, completed, failed, retried, longestWaitMs, `{${runTimes.join(",")}}`];
  });
  const text = `insert into ${s}.history as h (every_ms, at, type_name, completed, failed, retried, longest_wait_ms, run_times)
select e.every_ms, floor(moment.now / e.every_ms) * e.every_ms, r.value->>0, (r.value->>1)::bigint, (r.value->>2)::bigint, (r.value->>3)::bigint,
  (r.value->>4)::double precision, (r.value->>5)::bigint[]
from (select ${momentOf("$1")} as now) moment cross join (values ${spans}) e(every_ms) cross join json_array_elements($2::text::json) r(value)
order by e.every_ms, (r.value->>0) collate "C"
on conflict (every_ms, at, type_name) do update set completed = h.completed + excluded.completed, failed = h.failed + excluded.failed,
  retried = h.retried + excluded.retried, longest_wait_ms = greatest(h.longest_wait_ms, excluded.longest_wait_ms),
  run_times = array(select coalesce(u.one, 0) + coalesce(u.other, 0)
    from unnest(h.run_times, excluded.run_times) with ordinality u(one, other, place) order by u.place)`;
  await run(tx, { text, parameters: [momentParameter(now), JSON.stringify(rows)], prepare: true });
}

/** Each moment is looked up by itself, because the rows of other types lie between them. */
export async function readHistory<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { everyMs, forMs, typeName }: HistoryQuery,
  { tx, now }: CallOptions<Tx>,
): Promise<HistoryReply> {
  const text = `with moment as (select m.now, floor(m.now / $2::text::integer) * $2::text::integer as newest from (select ${momentOf("$1")} as now) m)
select ${wholeMs("moment.now")} as now, ${wholeMs("h.at")} as at, h.completed::text, h.failed::text, h.retried::text,
  ${wholeMs("h.longest_wait_ms")} as longest, array_to_json(h.run_times)::text as run_times
from moment cross join generate_series(0, ceil($3::text::double precision / $2::text::integer)::integer) back(steps)
left join ${s}.history h on h.every_ms = $2::text::integer and h.at = moment.newest - back.steps * $2::text::integer and h.type_name = $4::text
  and h.at > moment.now - $3::text::double precision - $2::text::integer
order by back.steps desc`;
  const parameters = [momentParameter(now), String(everyMs), String(forMs), typeName];
  const rows = await run(tx, { text, parameters, prepare: true });
  const totals = rows.flatMap((row) =>
    row[1] === null
      ? []
      : {
          at: Number(row[1]),
          completed: Number(row[2]),
          failed: Number(row[3]),
          retried: Number(row[4]),
          longestWaitMs: Number(row[5]),
          runTimes: countsOf(row[6]),
        },
  );
  return { now: Number(rows[0]?.[0]), totals };
}

/** Plpgsql that deletes up to so many totals that are too old, and adds their number to a variable. */
export function forgetHistory(s: string, { now, limit, count }: Record<"now" | "limit" | "count", string>): string {
  const passes = historySpans.map(
    ({ everyMs, keptMs }) => `  delete from ${s}.history h
  where h.ctid = any(array(
    select o.ctid from ${s}.history o where o.every_ms = ${everyMs} and o.at <= ${now} - ${keptMs}
    order by o.at, o.type_name limit ${limit} for update skip locked));
  get diagnostics v_forgotten = row_count;
  ${count} := greatest(${count}, v_forgotten);`,
  );
  return passes.join("\n");
}
