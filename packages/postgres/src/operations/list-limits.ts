import type {
  CallOptions,
  LimitDeclaration,
  LimitQuery,
  LimitRecord,
  LimitRule,
  OpenBreaker,
} from "chainwright/adapter";
import type { PostgresRow } from "../driver.ts";
import { effective, gateSeparator, inboxLane, isHeld, keyOf, limitOf } from "../limits/tables.ts";
import { momentOf, numberOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** What `Infinity` is sent as. */
const ever = 8_640_000_000_000_000;

/** The keys of a page and how they are used. Not prepared: the best plan depends on the filters. */
export async function listLimits<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { keys, limitName, isBusy = false, after, limit }: LimitQuery,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly LimitRecord[]> {
  const text = `with moment as materialized (select ${momentOf("$1")} as now),
inbox as materialized (
  select o.lane, o.type_name, count(*) as jobs
  from ${s}.parked p join ${s}.open_job o on o.job_id = any(array[p.job_id])
  where p.lane = ${inboxLane} and o.state = 3 group by o.lane, o.type_name),
gates as (
  ${keys === undefined ? usedGates(s) : givenGates(s)}),
found as (
  select g.gate, g.n,
    (select count(*) from ${s}.place p where p.gate = g.gate and ${isHeld("p")}) as held,
    (select count(*) from unnest(g.lanes, g.types) as l(lane, type_name)
      join ${s}.parked p on p.lane = any(array[l.lane]) and p.type_name = l.type_name)
      + (select coalesce(sum(i.jobs), 0) from unnest(g.lanes, g.types) as l(lane, type_name)
        join inbox i on i.lane = l.lane and i.type_name = l.type_name)::bigint as waiting
  from gates g)
select ${limitOf("f.gate")} as name, ${keyOf("f.gate")} as key,
  f.held as running, f.waiting,
  coalesce(r.is_declared, false)::integer as is_declared,
  ${effective.concurrency} as e_concurrency, ${effective.rateCount} as e_count, ${effective.ratePerMs} as e_per_ms, (${effective.rateSpread})::integer as e_spread,
  r.concurrency, r.rate_count, r.rate_per_ms, r.rate_spread::integer,
  (r.override_concurrency is not null or r.override_rate_count is not null or k.concurrency is not null or k.rate_count is not null)::integer as is_overridden,
  case when ${effective.pausedUntil} > m.now then least(${effective.pausedUntil}, ${ever})::bigint end as paused_until,
  ${wholeMs("case when coalesce(pausing.until, -1) < 8e15 then nullif(greatest(coalesce(pausing.until, m.now), coalesce(rate.opens_at, m.now), coalesce(k.open_until, m.now)), m.now) - m.now end")} as opens_in,
  case when k.open_until is not null then k.failures end as failures, k.open_until::bigint as open_until
from found f cross join moment m
left join ${s}.limit_rule r on r.name = ${limitOf("f.gate")}
left join ${s}.gate_rule k on k.gate = f.gate
cross join lateral (select case when ${effective.pausedUntil} > m.now then ${effective.pausedUntil} end as until) pausing
cross join lateral (
  select case when count(*) = case when ${effective.rateSpread} then 1 else ${effective.rateCount} end then min(t.free_at) end as opens_at
  from ${s}.token t where t.gate = f.gate and t.free_at > m.now
    and t.n <= case when ${effective.rateSpread} then 1 else ${effective.rateCount} end) rate
where ($3::text is null or ${limitOf("f.gate")} = $3::text)
  and ($4::text is null or f.gate > ($4::text::json->>0 || ${gateSeparator} || ($4::text::json->>1)) collate "C")
  and ($5::text = '0' or f.waiting > 0 or pausing.until is not null or k.open_until is not null)
order by f.n, f.gate collate "C" limit $6::text::bigint`;
  const parameters = [
    momentParameter(now),
    keys === undefined ? null : JSON.stringify(keys.map((each) => [each.limit, each.key])),
    limitName ?? null,
    after === undefined ? null : JSON.stringify([after.limit, after.key]),
    isBusy ? "1" : "0",
    String(limit),
  ];
  return (await run(tx, { text, parameters, prepare: false })).map(limitRecordOf);
}

/** The asked gates, each with its lanes. */
function givenGates(s: string): string {
  return `select g.gate, g.n, array_agg(l.key) as lanes, array_agg(l.type_name) as types
  from (
    select ((e.pair->>0) || ${gateSeparator} || (e.pair->>1)) collate "C" as gate, e.n
    from json_array_elements($2::text::json) with ordinality as e(pair, n)) g
  left join ${s}.lane l on g.gate = any(l.gates)
  group by g.gate, g.n`;
}

/** Gates with jobs, with an override or a pause, each with its lanes. In one pass: a join would look through all lanes for each gate. */
function usedGates(s: string): string {
  const noLane = `null::uuid, null::text collate "C", true`;
  return `select u.gate, 0 as n, array_agg(u.lane) as lanes, array_agg(u.type_name) as types
  from (
    select g.gate, l.key as lane, l.type_name, l.state > 0 or i.lane is not null as is_used
      from ${s}.lane l left join inbox i on i.lane = l.key and i.type_name = l.type_name cross join unnest(l.gates) as g(gate)
    union all select p.gate, ${noLane} from ${s}.place p where p.job_id is not null
    union all select k.gate, ${noLane} from ${s}.gate_rule k, moment m
      where k.concurrency is not null or k.rate_count is not null or k.paused_until > m.now
        or k.failed_until > m.now or k.open_until is not null) u
  where $2::text is null
  group by u.gate having bool_or(u.is_used)`;
}

function limitRecordOf(row: PostgresRow): LimitRecord {
  const isDeclared = Number(row[4]) === 1;
  return {
    limit: String(row[0]),
    key: String(row[1]),
    running: Number(row[2]),
    waiting: Number(row[3]),
    rule: isDeclared ? ruleOf(row.slice(5, 9)) : undefined,
    declared: isDeclared ? ruleOf(row.slice(9, 13)) : undefined,
    isOverridden: Number(row[13]) === 1,
    pausedUntil: momentOrEver(row[14]),
    breaker: breakerOf(numberOf(row[16]), numberOf(row[17])),
    opensInMs: numberOf(row[15]),
  };
}

function ruleOf([concurrency, count, perMs, spread]: PostgresRow): LimitRule {
  const rate =
    count === null || count === undefined
      ? undefined
      : { count: Number(count), perMs: Number(perMs), spread: Number(spread) === 1 };
  return { concurrency: numberOf(concurrency), rate };
}

function breakerOf(failures: number | undefined, openUntil: number | undefined): OpenBreaker | undefined {
  return failures === undefined || openUntil === undefined ? undefined : { failures, openUntil };
}

function momentOrEver(value: unknown): number | undefined {
  const moment = numberOf(value);
  return moment === ever ? Infinity : moment;
}

/** The limits that were declared or overridden, in the order of their names. There are few. */
export async function listLimitDeclarations<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly LimitDeclaration[]> {
  const text = `select r.name, r.is_declared::integer, r.concurrency, r.rate_count, r.rate_per_ms, r.rate_spread::integer,
  r.override_concurrency, r.override_rate_count, r.override_rate_per_ms, r.override_rate_spread::integer, r.code_version,
  case when r.paused_until > m.now then least(r.paused_until, ${ever})::bigint end as paused_until
from ${s}.limit_rule r cross join (select ${momentOf("$1")} as now) m order by r.name`;
  const rows = await run(tx, { text, parameters: [momentParameter(now)], prepare: true });
  return rows.map((row) => {
    const override = ruleOf(row.slice(6, 10));
    const isOverridden = override.concurrency !== undefined || override.rate !== undefined;
    return {
      limit: String(row[0]),
      declared: Number(row[1]) === 1 ? ruleOf(row.slice(2, 6)) : undefined,
      codeVersion: numberOf(row[10]),
      override: isOverridden ? override : undefined,
      pausedUntil: momentOrEver(row[11]),
    };
  });
}
