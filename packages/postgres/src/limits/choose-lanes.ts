import { chooseProbes } from "./probes.ts";
import { isNamed, limitOf } from "./tables.ts";
import { ruleColumns, rulesOf } from "./rules-of-gates.ts";

/**
 * Chooses the lanes to visit: the first ones in the order of their turns, type by type, so that no others are read. At its turn a lane
 * may give as many jobs as its weight says beside the other lanes of its rank. A lane that gave fewer because the claim was full
 * keeps its turn and has credit. The next rounds visit no others.
 *
 * If there are enough lanes that no other claim has locked, it locks these, so that claims that run at the same time do not visit the
 * same lanes. Otherwise it visits the first ones, locked or not: all workers may take jobs of one lane at the same time.
 */
export function chooseLanes(s: string): string {
  return `    v_has_locked := false;
    if v_round = 1 then
${shareOutTurns(firstOpen(s, " for no key update skip locked"))}
      v_has_locked := v_key is not null and cardinality(v_key) >= v_left;
      if not v_has_locked then
${shareOutTurns(firstOpen(s, ""))}
      end if;
      v_seen := v_key;
      v_seen_type := v_type;
    else
${shareOutTurns(stillOpen(s))}
    end if;`;
}

const columns = "l.key, l.type_name, l.gates, l.weight, l.credit, l.rank";

const firstOpen = (s: string, lock: string) => `from unnest(p_types) as t(type_name), lateral (
            select ${columns}, l.turn from ${s}.lane l
            where ${isNamed("l", "t.type_name")} and l.state = 1
            order by l.rank, l.turn limit v_left + v_ahead${lock}) l
          order by l.rank, l.turn limit v_left + v_ahead`;

/** By their keys: the condition on the state is written such that the planner does not choose the index of open lanes. */
const stillOpen = (s: string) => `from unnest(v_seen, v_seen_type) as t(key, type_name)
          join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
          where l.state > 0 and l.state < 2
          order by l.rank, l.turn limit v_left`;

/** Lanes whose turn comes after those that fill the free slots are visited for jobs ahead of the slots. */
function shareOutTurns(lanes: string): string {
  return `      select array_agg(c.key), array_agg(c.type_name::text), array_agg(c.gates::text), array_agg(c.full_share), array_agg(c.want),
        array_agg(c.rank), array_agg(p_leases[array_position(p_types, c.type_name::text)]), array_agg(c.is_ahead)
      into v_key, v_type, v_gates, v_full, v_asked, v_rank, v_lease, v_is_ahead
      from (
        select c.*, v_ahead > 0 and c.before >= v_left as is_ahead,
          greatest(0, least(c.full_share, v_left - c.before + case when c.before >= v_left then v_ahead else 0 end)) as want
        from (
          select c.*, coalesce(
            sum(c.full_share) over (order by c.n rows between unbounded preceding and 1 preceding), 0)::integer as before
          from (
            select c.n, c.key, c.type_name, c.gates, c.rank, case when c.credit > 0 then c.credit
              else c.weight * ceil(greatest(v_left, 1)::double precision / sum(c.weight) over (partition by c.rank)) end::integer
              as full_share
            from (
              select ${columns}, row_number() over (order by l.rank, l.turn) as n
              ${lanes}) c) c) c
        order by c.n) c;`;
}

/**
 * Whether a job may be claimed ahead of the slots, where a lane that is visited for free slots has another gate. It takes at most half of
 * the places, so that it keeps no other worker from beginning a job, and no token, because it would begin after the moment of its claim. While failures count, the key may be closed until it begins.
 */
const hasRoom = "p.places > 1 and p.tokens is null and p.shut is null and not p.has_failed and not p.is_shared";

/** Reads the rules of the gates of these lanes. A lane that may give no jobs ahead of the slots is not visited for them. */
export function readRules(s: string): string {
  return `    v_want := v_asked;
    v_shut := array_fill(null::text, array[cardinality(v_key)]);
    v_shut_state := array_fill(null::smallint, array[cardinality(v_key)]);
    v_look := array_fill(null::double precision, array[cardinality(v_key)]);
    v_shuts := 0;
    select ${["n", "gate", "most", "tokens", "rest", "shut"].map((each) => `array_agg(p.${each}) filter (where p.may_begin)`).join(", ")},
      array_agg(p.n) filter (where not p.may_begin),
      bool_or(p.shut is not null) filter (where p.may_begin), bool_or(p.tokens is not null) filter (where p.may_begin),
      coalesce(array_agg(distinct ${limitOf("p.gate")} collate "C") filter (where p.may_begin), '{}'), '{}', '{}', '{}', '{}'
    into v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_rest, v_pair_shut, v_crowded, v_is_shut, v_has_tokens,
      v_limits, v_place_gate, v_place_at, v_token_gate, v_token_at
    from (
      select p.*, case when p.is_ahead then p.places / 2 else p.places end as most,
        not p.is_ahead or bool_and(${hasRoom}) over (partition by p.n) as may_begin
      from (
        select p.*, p.is_ahead and not bool_and(p.is_ahead) over (partition by p.gate) as is_shared
        from (
          select c.n, c.is_ahead, g.gate collate "C" as gate, ${ruleColumns}
          from unnest(v_gates, v_is_ahead) with ordinality as c(gates, is_ahead, n)
          cross join unnest(c.gates::text[]) as g(gate)
          ${rulesOf(s)}) p) p
      order by p.gate, p.n) p;
    if v_crowded is not null then
      foreach v_lane in array v_crowded loop
        v_want[v_lane] := 0;
      end loop;
    end if;
${chooseProbes(s)}`;
}
