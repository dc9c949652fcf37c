import { chooseProbes } from "./probes.ts";
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
      v_has_locked := v_key is not null and cardinality(v_key) = v_left;
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
            where l.type_name = t.type_name and l.state = 1
            order by l.rank, l.turn limit v_left${lock}) l
          order by l.rank, l.turn limit v_left`;

/** By their keys: the condition on the state is written such that the planner does not choose the index of open lanes. */
const stillOpen = (s: string) => `from unnest(v_seen, v_seen_type) as t(key, type_name)
          join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
          where l.state > 0 and l.state < 2
          order by l.rank, l.turn limit v_left`;

function shareOutTurns(lanes: string): string {
  return `      select array_agg(c.key order by c.n), array_agg(c.type_name::text order by c.n), array_agg(c.gates::text order by c.n),
        array_agg(c.full_share order by c.n), array_agg(c.want order by c.n), array_agg(c.rank order by c.n),
        array_agg(p_leases[array_position(p_types, c.type_name::text)] order by c.n)
      into v_key, v_type, v_gates, v_full, v_asked, v_rank, v_lease
      from (
        select c.*, greatest(0, least(c.full_share, v_left - coalesce(
          sum(c.full_share) over (order by c.n rows between unbounded preceding and 1 preceding), 0)))::integer as want
        from (
          select c.n, c.key, c.type_name, c.gates, c.rank, case when c.credit > 0 then c.credit
            else c.weight * ceil(v_left::double precision / sum(c.weight) over (partition by c.rank)) end::integer as full_share
          from (
            select ${columns}, row_number() over (order by l.rank, l.turn) as n
            ${lanes}) c) c) c;`;
}

/** Reads the rules of the gates of these lanes. */
export function readRules(s: string): string {
  return `    v_want := v_asked;
    v_shut := array_fill(null::text, array[cardinality(v_key)]);
    v_shut_state := array_fill(null::smallint, array[cardinality(v_key)]);
    v_look := array_fill(null::double precision, array[cardinality(v_key)]);
    v_shuts := 0;
    select array_agg(p.n order by p.gate, p.n), array_agg(p.gate order by p.gate, p.n), array_agg(p.places order by p.gate, p.n),
      array_agg(p.tokens order by p.gate, p.n), array_agg(p.rest order by p.gate, p.n), array_agg(p.shut order by p.gate, p.n)
    into v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_rest, v_pair_shut
    from (
      select c.n, g.gate collate "C" as gate, ${ruleColumns}
      from unnest(v_gates) with ordinality as c(gates, n)
      cross join unnest(c.gates::text[]) as g(gate)
      ${rulesOf(s)}) p;
${chooseProbes(s)}`;
}
