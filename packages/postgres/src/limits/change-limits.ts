import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { brokenOfLimit, closeBreakers, countFailure } from "./probes.ts";
import { allLanes } from "./reopen-lanes.ts";
import { gateSeparator } from "./tables.ts";

/** A change as a record of the parameter `p_changes`. `for` is null where a pause has no end. */
const changeRecord = `n integer, kind text, "limit" text, key text, version bigint, concurrency integer,
  count integer, "perMs" double precision, spread boolean, "for" double precision,
  job text, fence text, failures integer, within double precision, open double precision`;

/**
 * Changes limits in the given order. Returns for each whether the limit is known, or whether a breaker has opened or closed. It locks no lane, because it may run in a long
 * transaction of the application: events make the next claim look at the closed lanes.
 */
export function changeLimitsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "change_limits_v1",
    parameters: "p_alone text, p_now text, p_changes text",
    returns: "table(n integer, is_known integer)",
    declare: `  v_now double precision := ${now};
  v_change record;
  v_of_gate text;
  v_until double precision;
  v_rule record;
  v_by text;
  v_failed_at double precision[];
  v_failed_by text[];
  v_failures integer;
  v_has_changed boolean;`,
    body: `${guard}
  for v_change in select * from json_to_recordset(p_changes::json) as c(${changeRecord}) order by c.n loop
    v_of_gate := v_change."limit" || ${gateSeparator} || coalesce(v_change.key, '');
    v_until := v_now + coalesce(v_change."for", 'Infinity');
    if v_change.kind = 'declare' then
${declare(s)}
    elsif v_change.kind = 'override' then
${override(s)}
    elsif not exists (select from ${s}.limit_rule r where r.name = v_change."limit") then
      return query select v_change.n, 0;
      continue;
    elsif v_change.kind = 'failed' then
${countFailure(s)}
    elsif v_change.kind = 'succeeded' then
      ${closeBreakers(s, "k.gate = v_of_gate and k.open_until is not null and k.probe = v_change.job::uuid")};
      if not found then
        return query select v_change.n, 0;
        continue;
      end if;
    elsif v_change.key is null then
${changeOfLimit(s)}
      if v_change.kind = 'resume' then
        ${closeBreakers(s, brokenOfLimit(`v_change."limit"`))};
      end if;
    else
${changeOfKey(s)}
    end if;
    if exists (select from ${s}.kept) or exists (
      select from ${s}.lane l where l.state > 1 and l.blocked_by >= v_of_gate
        and l.blocked_by <= case when v_change.key is null then v_change."limit" || E'\\x02' else v_of_gate end)
    then
      insert into ${s}.gate_event (gate, lanes) values (v_of_gate, ${allLanes});
    end if;
    return query select v_change.n, 1;
  end loop;`,
  });
}

/** A declaration that changes nothing writes nothing: each worker makes one as it starts. */
function declare(s: string): string {
  return `      insert into ${s}.limit_rule as r (name, is_declared, code_version, concurrency, rate_count, rate_per_ms, rate_spread)
      values (v_change."limit", true, v_change.version, v_change.concurrency, v_change.count, v_change."perMs", v_change.spread)
      on conflict (name) do update set
        is_declared = true, code_version = excluded.code_version, concurrency = excluded.concurrency,
        rate_count = excluded.rate_count, rate_per_ms = excluded.rate_per_ms, rate_spread = excluded.rate_spread
      where not r.is_declared or (r.code_version is null or excluded.code_version >= r.code_version) and
        (r.code_version, r.concurrency, r.rate_count, r.rate_per_ms, r.rate_spread) is distinct from
        (excluded.code_version, excluded.concurrency, excluded.rate_count, excluded.rate_per_ms, excluded.rate_spread);`;
}

function override(s: string): string {
  return `      insert into ${s}.limit_rule (name, is_declared) values (v_change."limit", false) on conflict (name) do nothing;
      if v_change.key is null then
        update ${s}.limit_rule r set
          override_concurrency = coalesce(v_change.concurrency, r.override_concurrency),
          override_rate_count = coalesce(v_change.count, r.override_rate_count),
          override_rate_per_ms = coalesce(v_change."perMs", r.override_rate_per_ms),
          override_rate_spread = coalesce(v_change.spread, r.override_rate_spread)
        where r.name = v_change."limit";
      else
        insert into ${s}.gate_rule as k (gate, concurrency, rate_count, rate_per_ms, rate_spread)
        values (v_of_gate, v_change.concurrency, v_change.count, v_change."perMs", v_change.spread)
        on conflict (gate) do update set
          concurrency = coalesce(excluded.concurrency, k.concurrency),
          rate_count = coalesce(excluded.rate_count, k.rate_count),
          rate_per_ms = coalesce(excluded.rate_per_ms, k.rate_per_ms),
          rate_spread = coalesce(excluded.rate_spread, k.rate_spread);
      end if;`;
}

function changeOfLimit(s: string): string {
  return `      update ${s}.limit_rule r set
        override_concurrency = case v_change.kind when 'reset' then null else r.override_concurrency end,
        override_rate_count = case v_change.kind when 'reset' then null else r.override_rate_count end,
        override_rate_per_ms = case v_change.kind when 'reset' then null else r.override_rate_per_ms end,
        override_rate_spread = case v_change.kind when 'reset' then null else r.override_rate_spread end,
        paused_until = case v_change.kind when 'pause' then greatest(r.paused_until, v_until)
          when 'resume' then null else r.paused_until end
      where r.name = v_change."limit";`;
}

function changeOfKey(s: string): string {
  return `      if v_change.kind = 'pause' then
        insert into ${s}.gate_rule as k (gate, paused_until) values (v_of_gate, v_until)
        on conflict (gate) do update set paused_until = greatest(k.paused_until, excluded.paused_until);
      elsif v_change.kind = 'resume' then
        update ${s}.gate_rule k set paused_until = null where k.gate = v_of_gate;
        ${closeBreakers(s, "k.gate = v_of_gate")};
      else
        update ${s}.gate_rule k set concurrency = null, rate_count = null, rate_per_ms = null, rate_spread = null
        where k.gate = v_of_gate;
      end if;`;
}

/** A breaker that has been half open for so long is forgotten: its key may never be used again. */
const forgottenMs = 7 * 86_400_000;

/** Removes rules of keys that say nothing any more. Needs `v_now`. There are as many as an operator has changed. */
export function removeEmptyRules(s: string): string {
  return `  delete from ${s}.gate_rule k
  where k.gate = any(array(
    select g.gate from ${s}.gate_rule g
    where g.concurrency is null and g.rate_count is null and (g.paused_until is null or g.paused_until <= v_now)
      and (g.failed_until is null or g.failed_until <= v_now)
      and (g.open_until is null or g.open_until <= v_now - ${forgottenMs})
    order by g.gate limit 1000 for update skip locked));`;
}
