import { firstInInbox, hasOtherRanks, isOld } from "./inbox-jobs.ts";
import { placesOfGate, rulesOf } from "./rules-of-gates.ts";
import { gateSeparator, isNamed } from "./tables.ts";

/** How many events a claim reads, and how many closed lanes it looks at because their moment has come. */
const [mostEvents, mostLooks] = [500, 100];

/** The number of lanes of an event about a rule that has changed. */
export const allLanes = 1_000;

/** How long a closed lane stays closed at most without a look. */
export const lookMs = 1_000;

/**
 * The first look comes sooner: the end of a job that gives a place back while the claim that closes the lane is under way opens no lane, because
 * it sees none that is closed.
 */
export const firstLookMs = 50;

/**
 * Opens as many lanes as places were given back, and those whose moment has come. An event may be missed: the transaction that gives a
 * place back, or changes a limit, may not see that a lane was closed meanwhile, and a change of a limit opens so many lanes at most. So
 * each closed lane has a moment at which a claim looks at its gate.
 */
export function reopenLanes(s: string): string {
  return `  if v_has_events then
${takeEvents(s)}
  end if;
  if v_has_looks then
${lookAtLanes(s)}
  end if;`;
}

/** Finds out in one statement what there is to do besides visiting lanes: mostly nothing. */
export const lookAround = (s: string) => `  select exists (select from ${s}.gate_event),
    exists (
      select from unnest(p_types) as t(type_name), lateral (
        select from ${s}.lane l where ${isNamed("l", "t.type_name")} and l.look_at <= p_now limit 1) l),
    exists (
      select from unnest(p_types) as t(type_name), lateral (
        select from ${s}.kept k where k.type_name = t.type_name and k.look_at <= p_now limit 1) k),
    ${firstInInbox(s)},
    ${hasOtherRanks(s)},
    ${isOld(s)}
  into v_has_events, v_has_looks, v_has_kept, inbox_from, v_has_inbox, v_is_old;
  v_has_inbox := v_has_inbox or inbox_from is not null;`;

function takeEvents(s: string): string {
  return `  with events as (
    delete from ${s}.gate_event e
    where e.id = any(array(select v.id from ${s}.gate_event v order by v.id limit ${mostEvents} for update skip locked))
    returning e.gate, e.lanes)
  select array_agg(e.gate), array_agg(e.lanes), sum(e.events) = ${mostEvents}
  into v_event_gate, v_event_lanes, v_has_more_events
  from (select e.gate, sum(e.lanes)::integer as lanes, count(*) as events from events e group by e.gate) e;
  if v_event_gate is not null then
${openFreed(s)}
${openChanged(s)}
  end if;`;
}

function lookAtLanes(s: string): string {
  return `  with due as (
    select l.at, l.state, l.blocked_by
    from unnest(p_types) as t(type_name), lateral (
      select l.ctid as at, l.state, l.blocked_by, l.look_at from ${s}.lane l
      where ${isNamed("l", "t.type_name")} and l.look_at <= p_now
      order by l.look_at limit ${mostLooks} for update skip locked) l
    order by l.look_at limit ${mostLooks}),
  looked as (
    -- A lane whose gate still has no free place, and all places of its limit, stays closed, so that no claim visits it in vain.
    select g.at, g.state = 2
      and not exists (select from ${s}.place p where p.gate = any(array[g.gate]) and p.job_id is null)
      and exists (select from ${s}.place p where p.gate = any(array[g.gate]) and p.n = ${placesOfGate}) as is_full
    from (select d.at, d.state, d.blocked_by as gate from due d) g
      ${rulesOf(s)})
  update ${s}.lane l set
    state = case when k.is_full then l.state else 1 end,
    blocked_by = case when k.is_full then l.blocked_by end,
    look_at = case when k.is_full then p_now + ${lookMs} end
  from looked k where l.ctid = k.at;`;
}

/**
 * As many lanes of the claim's own types as places were given back, because it looks at them at once, and as many of other types, whose
 * workers do not see the event any more.
 */
function openFreed(s: string): string {
  const freed = `unnest(v_event_gate, v_event_lanes) as g(gate, lanes)`;
  return `    with own as (
      select l.at
      from ${freed}, lateral (
        select l.at
        from unnest(p_types) as t(type_name), lateral (
          select l.ctid as at, l.rank, l.turn from ${s}.lane l
          where l.state > 1 and l.blocked_by = g.gate and l.state = 2 and l.type_name = t.type_name
          order by l.rank, l.turn limit g.lanes for update skip locked) l
        order by l.rank, l.turn limit g.lanes) l
      where g.lanes < ${allLanes}),
    other as (
      select l.at
      from ${freed}, lateral (
        select l.ctid as at from ${s}.lane l
        where l.state > 1 and l.blocked_by = g.gate and l.state = 2 and l.type_name <> all(array_remove(p_types, null))
        order by l.type_name, l.rank, l.turn limit g.lanes for update skip locked) l
      where g.lanes < ${allLanes})
    update ${s}.lane l set state = 1, blocked_by = null, look_at = null
    from (select o.at from own o union all select o.at from other o) o where l.ctid = o.at;`;
}

/** All lanes of a gate or of a limit whose rule has changed. */
function openChanged(s: string): string {
  return `    if ${allLanes} <= any(v_event_lanes) then
      with changed as (
        select l.at
        from unnest(v_event_gate, v_event_lanes) as g(gate, lanes), lateral (
          select l.ctid as at from ${s}.lane l
          where l.state > 1 and l.blocked_by >= g.gate
            and l.blocked_by <= case when right(g.gate, 1) = ${gateSeparator} then rtrim(g.gate, ${gateSeparator}) || E'\\x02' else g.gate end
          order by l.blocked_by, l.state, l.type_name, l.rank, l.turn limit ${allLanes} for update skip locked) l
        where g.lanes >= ${allLanes})
      update ${s}.lane l set state = 1, blocked_by = null, look_at = null from changed c where l.ctid = c.at;
      update ${s}.kept k set look_at = p_now
      where k.job_id = any(array(
        select h.job_id from ${s}.kept h where h.look_at > p_now order by h.job_id limit ${allLanes} for update skip locked));
    end if;`;
}
