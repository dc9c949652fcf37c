import type { Schema } from "../schema.ts";
import { turns } from "./tables.ts";

/**
 * Ends the turns of the visited lanes. A lane that may be empty is locked before anyone looks whether it is: a claim that has just
 * put a job there holds a lock on it, see `open_lanes_v1`, and its job is visible to a look after that lock. The lock of other lanes
 * does not exclude such claims. A lane that another claim has locked is left to it.
 *
 * The first look begins behind the last job that the lane gave, because the entries of those that were taken before stay in the index
 * for a while. A rank that another claim has written since this one chose the lane stays.
 *
 * A lane whose jobs other transactions have locked gave none. It has had its turn, so that it does not keep claims from other lanes
 * until these transactions end.
 */
export function endTurns(schema: Schema): string {
  const { quoted: s } = schema;
  return `    select array_agg(t.next_rank), array_agg(t.may_give and t.next_rank is null) into v_next_rank, v_ran_out
    from (
      select t.may_give, case when t.may_give then (
        select p.rank from ${s}.parked p
        where p.lane = t.key and p.type_name = t.type_name and (p.rank, p.position) > (t.last_rank, t.last_position)
        order by p.rank, p.position limit 1) end as next_rank
      from (
        select t.*, t.shut is null and t.asked > 0 and (t.taken > 0 or t.want > 0) as may_give
        from unnest(v_key, v_type, v_asked, v_want, v_taken, v_shut, v_last_rank, v_last_position) with ordinality
          as t(key, type_name, asked, want, taken, shut, last_rank, last_position, n)) t
      order by t.n) t;
    v_locked := '{}';
    if true = any(v_ran_out) then
      v_locked := ${lockLanes(s, "t.ran_out", "update")};
    end if;
    if v_has_locked then
      v_locked := v_locked || array(
        select t.n::integer
        from unnest(v_want, v_taken, v_shut, v_ran_out) with ordinality as t(want, taken, shut, ran_out, n) where ${hadItsTurn});
    elsif false = any(v_ran_out) then
      v_locked := v_locked || ${lockLanes(s, hadItsTurn, "no key update")};
    end if;
    if v_locked <> '{}' then
      update ${s}.lane l set
        state = case when t.shut is not null then t.shut_state when t.is_empty then 0 else 1 end,
        rank = case when l.rank = t.rank then coalesce(t.next_rank, l.rank) else l.rank end,
        turn = case when t.credit > 0 then l.turn else nextval(${turns(schema)}) end,
        credit = t.credit,
        blocked_by = t.shut,
        look_at = t.look,
        idle_at = case when t.is_empty then p_now end
      from (
        select t.*, t.ran_out and t.next_rank is null as is_empty
        from (
          select t.key, t.type_name, t.shut, t.shut_state, t.look, t.rank, t.ran_out,
            -- Left over because the claim was full.
            case when t.shut is null and t.taken = t.asked then t.full_share - t.taken else 0 end as credit,
            case when t.ran_out then (
              select p.rank from ${s}.parked p
              where p.lane = t.key and p.type_name = t.type_name order by p.rank, p.position limit 1) else t.next_rank end as next_rank
          from unnest(v_key, v_type, v_full, v_asked, v_taken, v_shut, v_shut_state, v_look, v_ran_out, v_rank, v_next_rank) with ordinality
            as t(key, type_name, full_share, asked, taken, shut, shut_state, look, ran_out, rank, next_rank, n)
          where t.n = any(v_locked)) t) t
      where l.key = any(array[t.key]) and l.type_name = t.type_name;
    end if;`;
}

const hadItsTurn = "not t.ran_out and (t.shut is not null or t.taken > 0 or t.want > 0)";

function lockLanes(s: string, condition: string, lock: string): string {
  return `array(
        select t.n::integer
        from unnest(v_key, v_type, v_want, v_taken, v_shut, v_ran_out) with ordinality
          as t(key, type_name, want, taken, shut, ran_out, n)
        join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
        where ${condition} and l.state > 0 and l.state < 2
        for ${lock} of l skip locked)`;
}
