import { gatesOf, ruleColumns, rulesOf } from "./rules-of-gates.ts";
import { chooseKeptProbe, noteKeptProbe } from "./probes.ts";
import { lookMs } from "./reopen-lanes.ts";

/**
 * Leases due jobs that have kept their places for a retry. They need no place, but no gate may be shut, and they spend tokens like
 * others. They come first, because the jobs of their lanes wait for them.
 */
export function takeKept(s: string): string {
  return `  for v_kept in
    select k.at, o.job_id, o.type_name, o.attempt, o.fence, o.has_blockers, o.noted, o.ctid as job_at, greatest(o.due_at, o.leased_until) as since,
      p_leases[array_position(p_types, o.type_name::text)] as lease, ${gatesOf("j.limits")} as gates
    from unnest(p_types) as t(type_name), lateral (
      select k.ctid as at, k.job_id from ${s}.kept k
      where k.type_name = t.type_name and k.look_at <= p_now
      order by k.look_at limit v_left for update skip locked) k
    join ${s}.open_job o on o.job_id = any(array[k.job_id]) and o.state = 3
    join ${s}.job j on j.id = any(array[k.job_id])
    for update of o skip locked
  loop
    exit when v_left <= 0;
    v_wait := null;
    v_token_at := '{}';
    v_set_rest := '{}';
    v_probed := '{}';
    for v_rule in
      select g.gate, ${ruleColumns} from unnest(v_kept.gates) as g(gate) ${rulesOf(s)} order by g.gate
    loop
${chooseKeptProbe(s)}
      v_wait := least(v_rule.shut, p_now + ${lookMs});
      exit when v_rule.shut is not null;
      v_wait := null;
      continue when v_rule.tokens is null;
${takeToken(s)}
      if v_found_token is null then
        v_wait := least(p_now + ${lookMs}, (
          select t.free_at from ${s}.token t
          where t.gate = v_rule.gate and t.free_at > p_now and t.n <= v_rule.tokens order by t.free_at limit 1));
        exit;
      end if;
      v_token_at := v_token_at || v_found_token;
      v_set_rest := v_set_rest || v_rule.rest;
    end loop;
    if v_wait is not null then
      update ${s}.kept k set look_at = v_wait where k.ctid = v_kept.at;
      continue;
    end if;
    update ${s}.token t set free_at = p_now + a.rest
    from unnest(v_token_at, v_set_rest) as a(at, rest) where t.ctid = a.at;
    update ${s}.open_job o set
      state = 0, leased_by = p_worker, leased_until = p_now + v_kept.lease, started_at = p_now, attempt = o.attempt + 1,
      fence = o.fence + 1
    where o.ctid = v_kept.job_at;
    delete from ${s}.kept k where k.ctid = v_kept.at;
${noteKeptProbe(s)}
${returnKept}
    v_left := v_left - 1;
  end loop;`;
}

const returnKept = `    jobs := jobs || v_kept.job_id;
    types := types || v_kept.type_name::text;
    attempts := attempts || v_kept.attempt + 1;
    fences := fences || v_kept.fence + 1;
    if v_kept.has_blockers then
      blocked := blocked || v_kept.job_id;
    end if;
    if v_kept.noted then
      noted := noted || v_kept.job_id;
    end if;
    since := since || v_kept.since;`;

/** A token is made if the gate has fewer than its rate says, because upkeep removes those that have rested. */
function takeToken(s: string): string {
  return `      insert into ${s}.token (gate, n, free_at)
      select v_rule.gate, h.last + 1, 0
      from (
        select coalesce((select t.n from ${s}.token t where t.gate = v_rule.gate order by t.n desc limit 1), 0) as last) h
      where h.last < v_rule.tokens
        and not exists (select from ${s}.token t where t.gate = v_rule.gate and t.free_at <= p_now)
      on conflict (gate, n) do nothing;
      v_found_token := (
        select t.ctid from ${s}.token t
        where t.gate = v_rule.gate and t.free_at <= p_now and t.n <= v_rule.tokens
        order by t.free_at limit 1 for update skip locked);`;
}
