import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { halfOpen } from "./rules-of-gates.ts";
import { gateSeparator, limitOf } from "./tables.ts";

/*
 * While the breaker of a gate is half open, one job at a time begins, its probe. The row of the gate is locked from before anyone looks
 * whether a probe runs until the claim that gives it another one has committed. A probe runs as long as its job is leased, whatever ends
 * that: so no gate stays without a probe because one was cancelled, deleted or put off.
 */

/** Whether this claim may give a half-open gate its probe. */
export function mayProbeFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "may_probe_v1",
    parameters: "p_gate text, p_now double precision",
    returns: "boolean",
    declare: "  v_probe uuid;",
    // In two statements, because one would look at the jobs as they were before it had the lock. The condition on the state keeps the
    // planner from the index of ready jobs, which it would read completely.
    body: `  select k.probe into v_probe from ${s}.gate_rule k where k.gate = p_gate and k.open_until <= p_now for update skip locked;
  return found and not exists (select from ${s}.open_job o where o.job_id = v_probe and o.state <= 0);`,
  });
}

/** Among the lanes of each half-open gate the first one gets one job if there is no probe, and the others are closed. */
export function chooseProbes(s: string): string {
  return `    v_probed := '{}';
    if ${halfOpen} = any(v_pair_shut) then
      v_refused := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_shut[i] is distinct from ${halfOpen};
        v_pair_shut[i] := 'Infinity';
        continue when v_pair_gate[i] = any(v_probed) or v_pair_gate[i] = any(v_refused) or v_want[v_pair_lane[i]] = 0;
        if ${s}.may_probe_v1(v_pair_gate[i], p_now) then
          v_probed := v_probed || v_pair_gate[i];
          v_pair_shut[i] := null;
          v_want[v_pair_lane[i]] := 1;
        else
          v_refused := v_refused || v_pair_gate[i];
        end if;
      end loop;
    end if;`;
}

/** Notes the jobs that have begun as probes. */
export function noteProbes(s: string): string {
  return `    if v_probed <> '{}' and v_count > 0 then
      for i in 1 .. cardinality(v_pair_lane) loop
        v_lane := v_pair_lane[i];
        continue when v_pair_gate[i] <> all(v_probed) or v_taken[v_lane] = 0;
        update ${s}.gate_rule k set probe = v_job[v_first[v_lane]] where k.gate = v_pair_gate[i];
        probes := probes || v_job[v_first[v_lane]];
      end loop;
    end if;`;
}

/** The same for a job that has kept its places. */
export function chooseKeptProbe(s: string): string {
  return `      if v_rule.shut = ${halfOpen} then
        if ${s}.may_probe_v1(v_rule.gate, p_now) then
          v_probed := v_probed || v_rule.gate;
          v_rule.shut := null;
        else
          v_rule.shut := 'Infinity';
        end if;
      end if;`;
}

export function noteKeptProbe(s: string): string {
  return `    if v_probed <> '{}' then
      update ${s}.gate_rule k set probe = v_kept.job_id where k.gate = any(v_probed);
      probes := probes || v_kept.job_id;
    end if;`;
}

/** The names of the limits for whose gates a job `j` is the probe, as JSON. */
export const probedLimits = (s: string, gates: string) => `(
            select json_agg(${limitOf("k.gate")})::text from ${s}.gate_rule k
            where k.gate = any(${gates}) and k.open_until is not null and k.probe = j.id)`;

/** Counts a failure under a lock of the gate's row, see `breakerFailed` in the engine. */
export function countFailure(s: string): string {
  return `      insert into ${s}.gate_rule as k (gate) values (v_of_gate)
      on conflict (gate) do update set gate = excluded.gate returning k.* into v_rule;
      v_by := v_change.job || ' ' || v_change.fence;
      v_has_changed := false;
      if v_rule.open_until is not null then
        v_has_changed := coalesce(v_rule.probe = v_change.job::uuid, false);
        v_failures := v_rule.failures + 1;
      else
        select coalesce(array_agg(f.at order by f.n), '{}'), coalesce(array_agg(f.by order by f.n), '{}')
        into v_failed_at, v_failed_by
        from unnest(v_rule.failed_at, v_rule.failed_by) with ordinality as f(at, by, n)
        where abs(v_now - f.at) < v_change.within;
        if v_by <> all(v_failed_by) then
          v_failures := cardinality(v_failed_at) + 1;
          v_has_changed := v_failures >= v_change.failures;
          if not v_has_changed then
            update ${s}.gate_rule k set
              failed_at = v_failed_at || v_now, failed_by = v_failed_by || v_by, failed_until = v_now + v_change.within
            where k.gate = v_of_gate;
          end if;
        end if;
      end if;
      if v_has_changed then
        update ${s}.gate_rule k set
          failed_at = null, failed_by = null, failed_until = null, failures = v_failures,
          open_until = v_now + v_change.open, probe = null
        where k.gate = v_of_gate;
      end if;
      return query select v_change.n, v_has_changed::integer;
      continue;`;
}

/** Ends the breakers of the gates for which the condition holds. */
export const closeBreakers = (s: string, condition: string) => `update ${s}.gate_rule k set
          failed_at = null, failed_by = null, failed_until = null, failures = null, open_until = null, probe = null
        where ${condition}`;

/** SQL for whether a row `k` is of this limit and has a breaker that has counted failures. */
export const brokenOfLimit = (limit: string) =>
  `k.gate > ${limit} || ${gateSeparator} and k.gate < ${limit} || E'\\x02' and (k.open_until is not null or k.failed_at is not null)`;
