create or replace function "chainwright".give_back_v1(p_jobs uuid[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare

begin
  with freed as (
    update "chainwright".place p set job_id = null where p.job_id = any(p_jobs) returning p.gate)
  insert into "chainwright".gate_event (gate, lanes)
  select f.gate, count(*) from freed f
  where (
    select true from "chainwright".lane l where l.state > 1 and l.blocked_by = f.gate and l.state = 2
    order by l.type_name, l.rank, l.turn limit 1)
  group by f.gate;
end $body$;

create or replace function "chainwright".leave_lane_v1(p_job uuid, p_state smallint, p_holds boolean, p_lane uuid, p_type text, p_rank smallint, p_position bigint) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  if p_state = 3 then
    delete from "chainwright".parked p
    where p.lane = any(array[p_lane, '00000000-0000-0000-0000-000000000000'::uuid]) and p.type_name = p_type and p.rank = p_rank and p.position = p_position;
    delete from "chainwright".kept k where k.job_id = p_job;
  end if;
  if p_state = 0 or p_holds then
    perform "chainwright".give_back_v1(array[p_job]);
  end if;
end $body$;

create or replace function "chainwright".make_places_v1(p_now double precision, p_asked integer[], p_lanes integer[], p_gates text[], p_places integer[], p_tokens integer[],
  p_shut double precision[]) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  insert into "chainwright".place (gate, n)
  select g.gate, m.n from (
    select u.gate, min(u.most) as most, sum(greatest(p_asked[u.lane], 1)) as want
    from unnest(p_lanes, p_gates, p_places, p_shut) as u(lane, gate, most, shut)
    where u.most is not null and u.shut is null group by u.gate) g,
  lateral (
    select coalesce((select p.n from "chainwright".place p where p.gate = g.gate order by p.n desc limit 1), 0) as last) h,
  lateral generate_series(h.last + 1, least(g.most, h.last + g.want)) as m(n)
  where h.last < g.most
    and (select count(*) from (select from "chainwright".place p where p.gate = g.gate and p.job_id is null limit g.want) f) < g.want
  order by g.gate collate "C", m.n
  on conflict (gate, n) do nothing;
  if array_remove(p_tokens, null) <> '{}' then
    insert into "chainwright".token (gate, n, free_at)
    select g.gate, m.n, 0 from (
    select u.gate, min(u.most) as most, sum(greatest(p_asked[u.lane], 1)) as want
    from unnest(p_lanes, p_gates, p_tokens, p_shut) as u(lane, gate, most, shut)
    where u.most is not null and u.shut is null group by u.gate) g,
  lateral (
    select coalesce((select p.n from "chainwright".token p where p.gate = g.gate order by p.n desc limit 1), 0) as last) h,
  lateral generate_series(h.last + 1, least(g.most, h.last + g.want)) as m(n)
  where h.last < g.most
    and (select count(*) from (select from "chainwright".token p where p.gate = g.gate and p.free_at <= p_now limit g.want) f) < g.want
  order by g.gate collate "C", m.n
    on conflict (gate, n) do nothing;
  end if;
end $body$;

create or replace function "chainwright".usable_places_v1(p_gate text, p_most integer) returns integer
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_left integer := p_most - (
    select count(*) from "chainwright".place p where p.gate = p_gate and (p.job_id is null) is false);
begin
  if v_left <= 0 then
    return 0;
  end if;
  return coalesce((
    select p.n - 1 from "chainwright".place p where p.gate = p_gate and p.job_id is null
    order by p.n offset v_left limit 1), p_most);
end $body$;

create or replace function "chainwright".fill_inbox_v1(p_now double precision, p_jobs uuid[]) returns bigint
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_holding uuid[];
  v_kept uuid[] := '{}';
  v_first bigint;
begin
  v_holding := array(
    select o.job_id from unnest(p_jobs) as i(id) join "chainwright".open_job o on o.job_id = any(array[i.id]) where o.state = 3 and o.lane_holds);
  if v_holding <> '{}' then
    v_kept := array(
      select i.id from unnest(v_holding) as i(id) where (select true from "chainwright".place p where p.job_id = i.id and p.n > 0 limit 1));
  end if;
  if v_kept <> '{}' then
    insert into "chainwright".kept (job_id, type_name, look_at)
    select o.job_id, o.type_name, p_now
    from unnest(v_kept) as i(id) join "chainwright".open_job o on o.job_id = any(array[i.id]) order by o.job_id
    on conflict (job_id) do update set type_name = excluded.type_name, look_at = excluded.look_at;
  end if;
  with filled as (
    insert into "chainwright".parked (lane, type_name, rank, position, job_id)
    select '00000000-0000-0000-0000-000000000000'::uuid, o.type_name, o.rank, o.position, o.job_id
    from unnest(p_jobs) as i(id) join "chainwright".open_job o on o.job_id = any(array[i.id])
    where o.state = 3 and o.job_id <> all(v_kept)
    on conflict do nothing
    returning position)
  select min(f.position) into v_first from filled f;
  return v_first;
end $body$;

create or replace function "chainwright".open_lanes_v1(p_now double precision, p_jobs uuid[], p_at tid[]) returns boolean
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_all_at tid[];
  v_all_job uuid[];
  v_all_lane uuid[];
  v_all_type text[];
  v_all_rank smallint[];
  v_all_position bigint[];
  v_all_weight smallint[];
  -- The number of the lane of each job.
  v_all_nth integer[];
  -- By lane, in the order of their first jobs.
  v_key uuid[];
  v_type text[];
  v_rank smallint[];
  v_weight smallint[];
  v_is_locked boolean[];
  v_turns bigint[];
  -- Numbers of lanes.
  v_ready integer[];
  v_changed integer[] := '{}';
  v_nth integer;
begin
  select array_agg(o.at), array_agg(o.job_id), array_agg(o.lane), array_agg(o.type_name::text), array_agg(o.rank), array_agg(o.position),
    array_agg(o.weight), array_agg(o.nth)
  into v_all_at, v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_weight, v_all_nth
  from (
    select o.*, dense_rank() over (order by o.first)::integer as nth
    from (
      select i.at, o.job_id, o.lane, o.type_name, o.rank, o.position, coalesce(o.lane_weight, 1::smallint) as weight,
        min(o.position) over (partition by o.lane, o.type_name) as first
      from unnest(p_jobs, p_at) as i(id, at) join "chainwright".open_job o on o.job_id = any(array[i.id])) o) o;
  select array_agg(l.lane order by l.nth), array_agg(l.type_name order by l.nth), array_agg(l.rank order by l.nth),
    array_agg(l.weight order by l.nth)
  into v_key, v_type, v_rank, v_weight
  from (
    select o.nth, (array_agg(o.lane))[1] as lane, min(o.type_name) as type_name, min(o.rank) as rank, max(o.weight) as weight
    from unnest(v_all_nth, v_all_lane, v_all_type, v_all_rank, v_all_weight) as o(nth, lane, type_name, rank, weight)
    group by o.nth) l;
  v_is_locked := array_fill(false, array[cardinality(v_key)]);
  v_ready := array(
    select t.n from unnest(v_key, v_type, v_rank, v_weight) with ordinality as t(key, type_name, rank, weight, n)
    join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
    where l.state > 0 and l.rank <= t.rank and l.weight = t.weight for key share of l skip locked);
  foreach v_nth in array v_ready loop
    v_is_locked[v_nth] := true;
  end loop;
  if cardinality(v_ready) < cardinality(v_key) then
    v_changed := array(
      select t.n from unnest(v_key, v_type, v_rank, v_weight) with ordinality as t(key, type_name, rank, weight, n)
    join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
      where not v_is_locked[t.n] for no key update of l skip locked);
    foreach v_nth in array v_changed loop
      v_is_locked[v_nth] := true;
    end loop;
  end if;
  with moved as (
    delete from "chainwright".parked p
    using (
      select o.*
      from unnest(v_all_at, v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_nth) as o(at, job_id, lane, type_name, rank, position, nth)
      where v_is_locked[o.nth]) o
    where p.ctid = o.at and p.job_id = o.job_id
    returning o.job_id, o.lane, o.type_name, o.rank, o.position)
  insert into "chainwright".parked (lane, type_name, rank, position, job_id)
  select m.lane, m.type_name, m.rank, m.position, m.job_id from moved m
  order by m.lane, m.type_name collate "C", m.rank, m.position
  on conflict do nothing;
  if v_changed <> '{}' then
    v_turns := array(select nextval(E'"chainwright".turn') from generate_series(1, cardinality(v_key)));
    update "chainwright".lane l set
      state = greatest(l.state, 1),
      rank = case l.state when 0 then t.rank else least(l.rank, t.rank) end,
      weight = t.weight,
      turn = case l.state when 0 then v_turns[t.n] else l.turn end,
      credit = case l.state when 0 then 0 else l.credit end,
      idle_at = null
    from unnest(v_changed) as c(n), lateral (
      select c.n, v_key[c.n] as key, v_type[c.n] as type_name, v_rank[c.n] as rank, v_weight[c.n] as weight) t
    where l.key = any(array[t.key]) and l.type_name = t.type_name;
  end if;
  return cardinality(v_ready || v_changed) < cardinality(v_key);
end $body$;

create or replace function "chainwright".may_probe_v1(p_gate text, p_now double precision) returns boolean
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_probe uuid;
begin
  select k.probe into v_probe from "chainwright".gate_rule k where k.gate = p_gate and k.open_until <= p_now for update skip locked;
  return found and not exists (select from "chainwright".open_job o where o.job_id = v_probe and o.state <= 0);
end $body$;

create or replace function "chainwright".lease_lanes_v1(p_now double precision, p_worker text, p_types text[], p_leases double precision[], p_limit integer, p_ahead integer, p_inbox_from bigint, p_due_from double precision,
  out jobs uuid[], out types text[], out attempts integer[], out fences integer[], out since double precision[],
  out blocked uuid[], out noted uuid[], out probes uuid[], out look_at double precision, out inbox_from bigint) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_left integer := p_limit;
  v_ahead integer;
  v_ahead_left integer := p_ahead;
  v_again boolean := false;
  v_kept record;
  v_rule record;
  v_wait double precision;
  v_found_token tid;
  v_has_inbox boolean;
  -- Of the inbox: how many jobs begin in slots, and how many at most with those ahead of the slots.
  v_room integer;
  v_most integer;
  v_most_of_type integer;
  v_is_uneven boolean := false;
  v_is_old boolean := false;
  -- Whether jobs of a key begin in their order, and the lanes of which others hold earlier jobs.
  v_is_ordered boolean;
  v_has_others boolean;
  -- The last job of those that are locked.
  v_inbox_rank smallint;
  v_inbox_position bigint;
  v_behind integer[];
  v_is_missing boolean;
  -- Whether the inbox may have more jobs, and whether some stay there until another claim has committed.
  v_is_more boolean := false;
  v_is_left boolean := false;
  -- How many turns of a lane begin at most.
  v_most_turns integer;
  -- The turns, the gates and the first rank of the lanes that are open.
  v_turns integer;
  v_open_gates text[];
  v_busy text[];
  v_open_rank smallint;
  -- The jobs that go into their lanes, and their entries; null: none.
  v_late uuid[];
  v_late_at tid[];
  v_may_begin boolean[];
  -- Whether the lane has more jobs than may begin.
  v_has_more boolean[];
  v_is_stale boolean;
  v_leaves_places boolean;
  v_has_events boolean;
  v_has_more_events boolean;
  v_has_looks boolean;
  v_has_kept boolean;
  v_event_gate text[];
  v_event_lanes integer[];
  v_seen uuid[];
  -- Whether this claim has locked the lanes that it visits.
  v_has_locked boolean;
  v_seen_type text[];
  -- By lane, in the order of their turns.
  v_key uuid[];
  v_type text[];
  -- The gates of each as the text of an array.
  v_gates text[];
  v_full integer[];
  -- Whether its jobs would be claimed ahead of the slots.
  v_is_ahead boolean[];
  -- The lanes that may give no jobs ahead of the slots.
  v_crowded integer[];
  v_asked integer[];
  v_want integer[];
  v_taken integer[];
  v_lease double precision[];
  v_shut text[];
  v_shut_state smallint[];
  v_look double precision[];
  v_shuts integer;
  v_ran_out boolean[];
  v_rank smallint[];
  v_next_rank smallint[];
  v_last_rank smallint[];
  v_last_position bigint[];
  -- By lane and gate, in the order of the gates.
  v_pair_lane integer[];
  v_pair_gate text[];
  v_pair_places integer[];
  v_pair_tokens integer[];
  v_pair_rest double precision[];
  v_pair_shut double precision[];
  -- Half-open gates that get their probe from this claim, and those that have one.
  v_probed text[];
  v_refused text[];
  -- The places and tokens that are locked, in the order of their gates.
  v_place_gate text[];
  v_place_at tid[];
  v_token_gate text[];
  v_token_at tid[];
  v_found_gate text[];
  v_found_at tid[];
  v_found integer;
  v_wanted integer;
  -- Whether this claim has made places: it does so once.
  v_has_made boolean := false;
  v_found_all integer;
  v_next integer;
  v_of text;
  v_limit text;
  v_limits text[];
  v_is_shut boolean;
  v_has_tokens boolean;
  v_lane integer;
  -- By job.
  v_rows tid[] := '{}';
  v_parked tid[];
  v_job uuid[];
  v_job_key uuid[];
  v_job_lane integer[];
  v_job_weight smallint[];
  v_job_is_blocked boolean[];
  v_job_is_noted boolean[];
  v_job_lease double precision[];
  v_job_since double precision[];
  v_job_rank smallint[];
  v_job_position bigint[];
  v_job_attempt integer[];
  v_job_fence integer[];
  v_job_type text[];
  v_job_blocked uuid[];
  v_job_noted uuid[];
  v_count integer;
  v_first integer[];
  v_set_at tid[];
  v_set_job uuid[];
  v_set_rest double precision[];
  v_locked integer[];
begin
  jobs := '{}';
  probes := '{}';
  types := '{}';
  attempts := '{}';
  fences := '{}';
  since := '{}';
  select exists (select from "chainwright".gate_event),
    exists (
      select from unnest(p_types) as t(type_name), lateral (
        select from "chainwright".lane l where l.type_name collate "POSIX" = t.type_name and l.look_at <= p_now limit 1) l),
    exists (
      select from unnest(p_types) as t(type_name), lateral (
        select from "chainwright".kept k where k.type_name = t.type_name and k.look_at <= p_now limit 1) k),
    (
      select min(p.position) from unnest(p_types) as t(type_name), lateral (
        select p.position from "chainwright".parked p
        where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank = -1 and p.position >= p_inbox_from
        order by p.position limit 1) p),
    exists (
      select from unnest(p_types) as t(type_name), (values (-32768, -2), (0, 32767)) as r(low, high), lateral (
        select from "chainwright".parked p
        where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high limit 1) p),
    exists (
      select from unnest(p_types) as t(type_name), (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first), lateral (
        select p.job_id from "chainwright".parked p where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first order by p.rank, p.position limit 1) p
      join "chainwright".open_job o on o.job_id = any(array[p.job_id])
      where o.due_at <= p_now - 1000)
  into v_has_events, v_has_looks, v_has_kept, inbox_from, v_has_inbox, v_is_old;
  v_has_inbox := v_has_inbox or inbox_from is not null;
  if v_has_inbox then
    select coalesce(sum(l.weight), 0), coalesce(array_agg(l.gates::text), '{}'), min(l.rank)
    into v_turns, v_open_gates, v_open_rank
    from unnest(p_types) as t(type_name), lateral (
      select l.weight, l.gates, l.rank from "chainwright".lane l
      where l.type_name collate "POSIX" = t.type_name and l.state = 1 order by l.rank, l.turn limit greatest(v_left, 1)) l;
    if v_open_gates = '{}' then
      v_busy := '{}';
    else
      v_busy := array(select distinct g.gate from unnest(v_open_gates) as l(gates), unnest(l.gates::text[]) as g(gate));
    end if;
    if v_has_kept then
      v_turns := v_turns + (
        select count(*) from unnest(p_types) as t(type_name), lateral (
          select from "chainwright".kept k where k.type_name = t.type_name and k.look_at <= p_now order by k.look_at limit v_left) k);
    end if;
    v_room := greatest(0, v_left - v_turns);
    v_is_uneven := v_is_uneven or v_room = 0 and v_left > 0;
    v_most := v_room + v_ahead_left;
    v_most_turns := 60000;
    if v_is_old then
      v_is_uneven := true;
    elsif not v_is_uneven and v_most > 0 then
      select coalesce(array_agg(c.at), '{}'), array_agg(c.parked_at), array_agg(c.job_id), array_agg(c.key), array_agg(c.nth_lane),
        array_agg(c.lease), array_agg(c.since), array_agg(c.rank), array_agg(c.position), array_agg(c.type_name::text),
        array_agg(c.attempt + 1), array_agg(c.fence + 1), array_agg(c.weight), array_agg(c.has_blockers), array_agg(c.noted),
        coalesce(bool_or(c.holds), false)
      into v_rows, v_parked, v_job, v_job_key, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
        v_job_fence, v_job_weight, v_job_is_blocked, v_job_is_noted, v_is_ordered
      from (
        select o.*, dense_rank() over (order by o.first)::integer as nth_lane
        from (
          select o.*, min(o.n) over (partition by o.key, o.type_name) as first
          from (
            select o.*, t.lease, row_number() over (order by o.rank, o.position) as n
            from unnest(p_types, p_leases) as t(type_name, lease), (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first),
            lateral (
              select o.ctid as at, p.ctid as parked_at, o.job_id, o.lane as key, p.rank, p.position, o.type_name, o.attempt, o.fence,
                o.has_blockers, o.noted, o.lane_holds as holds, coalesce(o.lane_weight, 1::smallint) as weight, greatest(o.due_at, o.leased_until) as since
              from "chainwright".parked p join "chainwright".open_job o on o.job_id = any(array[p.job_id])
              where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first and o.state = 3 and o.type_name = t.type_name and o.due_at <= p_now
              order by p.rank, p.position limit v_most for update of o skip locked) o
            where pg_catalog.split_part(t.type_name, E'\x01', 1) <> all(array(select p.type_name from "chainwright".pause p where p.at is not null and (p.until is null or p.until > p_now)))) o
          where o.n <= v_most) o
        order by o.n) c;
      if v_rows <> '{}' then
        v_is_uneven := v_turns > 0 and (v_open_rank <> v_job_rank[1] or v_open_rank <> v_job_rank[cardinality(v_rows)]);
        if not v_is_uneven and cardinality(v_rows) = v_most then
          v_most_turns := 1;
          v_is_uneven := (
            select sum(greatest(0, l.jobs - l.weight)) * case when v_most < 20 then 20 else 4 end >= sum(l.jobs)
            from (
              select count(*) as jobs, max(w.weight) as weight
              from (
                select t.key, t.type_name, t.weight from unnest(v_job_key, v_job_type, v_job_weight) as t(key, type_name, weight)
                union all
                select p.* from unnest(p_types) as t(type_name), (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first), lateral (
                  select o.lane, o.type_name::text, coalesce(o.lane_weight, 1::smallint)
                  from "chainwright".parked p join "chainwright".open_job o on o.job_id = any(array[p.job_id])
                  where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first and o.state = 3 and o.job_id <> all(v_job)
                  order by p.rank, p.position limit 20 - v_most) p
                where v_most < 20) w
              group by w.key, w.type_name) l);
        end if;
      end if;
    end if;
    if v_is_uneven and v_left + v_ahead_left > 0 then
      v_rows := '{}';
      if pg_try_advisory_xact_lock(E'"chainwright".parked'::regclass::oid::integer, 1129796937) then
        -- Of many types not all take so many rows, of which this claim would only keep the first.
        v_most_of_type := greatest(v_most, 2000 / greatest(1, (
      select count(distinct t.type_name) from unnest(p_types) as t(type_name), (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first), lateral (
        select from "chainwright".parked p where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first limit 1) p)));
      select coalesce(array_agg(c.at), '{}'), array_agg(c.parked_at), array_agg(c.job_id), array_agg(c.key), array_agg(c.nth_lane),
        array_agg(c.lease), array_agg(c.since), array_agg(c.rank), array_agg(c.position), array_agg(c.type_name::text),
        array_agg(c.attempt + 1), array_agg(c.fence + 1), array_agg(c.weight), array_agg(c.has_blockers), array_agg(c.noted),
        coalesce(bool_or(c.holds), false)
      into v_rows, v_parked, v_job, v_job_key, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
        v_job_fence, v_job_weight, v_job_is_blocked, v_job_is_noted, v_is_ordered
      from (
        select o.*, dense_rank() over (order by o.first)::integer as nth_lane
        from (
          select o.*, min(o.n) over (partition by o.key, o.type_name) as first
          from (
            select o.*, t.lease, row_number() over (order by o.rank, o.position) as n
            from unnest(p_types, p_leases) as t(type_name, lease), (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first),
            lateral (
              select o.ctid as at, p.ctid as parked_at, o.job_id, o.lane as key, p.rank, p.position, o.type_name, o.attempt, o.fence,
                o.has_blockers, o.noted, o.lane_holds as holds, coalesce(o.lane_weight, 1::smallint) as weight, greatest(o.due_at, o.leased_until) as since
              from "chainwright".parked p join "chainwright".open_job o on o.job_id = any(array[p.job_id])
              where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first and o.state = 3 and o.type_name = t.type_name and o.due_at <= p_now
              order by p.rank, p.position limit v_most_of_type for update of o skip locked) o
            where pg_catalog.split_part(t.type_name, E'\x01', 1) <> all(array(select p.type_name from "chainwright".pause p where p.at is not null and (p.until is null or p.until > p_now)))) o
          where o.n <= greatest(v_most, 2000)) o
        order by o.n) c;
      end if;
    end if;
    v_is_more := cardinality(v_rows) >= v_most and v_rows <> '{}';
    v_is_left := v_rows = '{}';
    if v_rows <> '{}' then
      v_behind := '{}';
      v_inbox_rank := v_job_rank[cardinality(v_rows)];
      v_inbox_position := v_job_position[cardinality(v_rows)];
      v_has_others := exists (select from unnest(p_types) as t(type_name), lateral (
              select o.due_at, o.lane, o.type_name, o.rank, o.position from "chainwright".open_job o
              where o.state = 1 and (o.type_name, o.due_at) >= (t.type_name, p_due_from) and o.type_name <= t.type_name
              order by o.type_name, o.due_at limit 1) o where o.due_at <= p_now)
        or (v_is_ordered or exists (select from "chainwright".limit_rule r where coalesce(r.override_concurrency, r.concurrency) = 1 and r.name > '')) and cardinality(v_rows) < (
        select count(*) from unnest(p_types) as t(type_name), lateral (
                select p.job_id from (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first), "chainwright".parked p where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first and p.rank < v_inbox_rank
                union all
                select p.job_id from "chainwright".parked p
                where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank = v_inbox_rank and p.position <= v_inbox_position
                  and p.position >= case v_inbox_rank when -1 then p_inbox_from else 0 end
                offset 0) p);
      if v_has_others then
        v_is_ordered := v_is_ordered or exists (select from "chainwright".limit_rule r where coalesce(r.override_concurrency, r.concurrency) = 1 and r.name > '');
        v_behind := array(
          select distinct m.nth_lane
          from (
            select x.* from (
              select o.lane, o.type_name, p.rank, p.position
              from (
                select p.* from unnest(p_types) as t(type_name), lateral (
                select p.job_id, p.rank, p.position, p.ctid as at from (values ((-32768)::smallint, (-2)::smallint, 0::bigint), ((-1)::smallint, (-1)::smallint, p_inbox_from),
                ((0)::smallint, 32767::smallint, 0)) as r(low, high, first), "chainwright".parked p where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first and p.rank < v_inbox_rank
                union all
                select p.job_id, p.rank, p.position, p.ctid as at from "chainwright".parked p
                where p.lane = '00000000-0000-0000-0000-000000000000'::uuid and p.type_name = t.type_name and p.rank = v_inbox_rank and p.position <= v_inbox_position
                  and p.position >= case v_inbox_rank when -1 then p_inbox_from else 0 end
                offset 0) p
                where v_is_ordered and p.at <> all(v_parked)) p
              join "chainwright".open_job o on o.job_id = any(array[p.job_id])
              union all
              select o.lane, o.type_name, o.rank, o.position from unnest(p_types) as t(type_name), lateral (
              select o.due_at, o.lane, o.type_name, o.rank, o.position from "chainwright".open_job o
              where o.state = 1 and (o.type_name, o.due_at) >= (t.type_name, p_due_from) and o.type_name <= t.type_name
              order by o.type_name, o.due_at limit (select count(*) from "chainwright".open_job d where d.state = 1 and d.due_at <= p_now and d.due_at >= p_due_from)) o
              where o.due_at <= p_now and (o.rank, o.position) < (v_inbox_rank, v_inbox_position)) x
            where x.lane = any(v_job_key) offset 0) x
          join unnest(v_job_key, v_job_type, v_job_lane, v_job_rank, v_job_position) as m(key, type_name, nth_lane, rank, position)
            on m.key = x.lane and m.type_name = x.type_name and (x.rank, x.position) < (m.rank, m.position));
      end if;
      select array_agg(g.key order by g.lane), array_agg(g.type_name order by g.lane), array_agg(g.gates::text order by g.lane),
        array_agg(g.now_jobs = 0 order by g.lane), array_agg(g.lease order by g.lane), array_agg(g.may_begin order by g.lane),
        array_agg(case when g.may_begin then least(g.most, case g.now_jobs when 0 then g.jobs else g.now_jobs end) else 0 end::integer
          order by g.lane),
        array_agg(g.jobs > g.most order by g.lane),
        bool_or(g.is_stale)
      into v_key, v_type, v_gates, v_is_ahead, v_lease, v_may_begin, v_asked, v_has_more, v_is_stale
      from (
        select g.*, g.weight * v_most_turns as most, l.gates, l.idle_at <= p_now - 20000 as is_stale,
          coalesce(l.state = 0 and not l.gates && v_busy, false) and g.lane <> all(v_behind) as may_begin
        from (
          select t.lane, (array_agg(t.key))[1] as key, min(t.type_name) as type_name, min(t.lease) as lease,
            count(*) filter (where t.n <= v_room + v_ahead_left) as jobs,
            count(*) filter (where t.n <= v_room) as now_jobs, max(t.weight)::integer as weight
          from unnest(v_job_lane, v_job_key, v_job_type, v_job_lease, v_job_weight) with ordinality as t(lane, key, type_name, lease, weight, n)
          group by t.lane) g
        left join "chainwright".lane l on l.key = any(array[g.key]) and l.type_name = g.type_name) g;
      v_is_missing := array_position(v_gates, null) is not null;
      if v_is_missing then
        insert into "chainwright".lane (key, type_name, gates, state, weight, rank, turn, idle_at)
        select t.key, t.type_name, array(
        select (e.pair->>0) || E'\x01' || (e.pair->>1)
        from json_array_elements(j.limits::json->'keys') with ordinality as e(pair, n) order by e.n), 0, 1, 0, nextval(E'"chainwright".turn'), p_now
        from (
          select t.key, t.type_name, (array_agg(t.job_id))[1] as job_id
          from unnest(v_job_lane, v_job_key, v_job_type, v_job) as t(lane, key, type_name, job_id)
          where v_gates[t.lane] is null
          group by t.key, t.type_name) t
        join "chainwright".job j on j.id = any(array[t.job_id])
        order by t.key, t.type_name collate "C"
        on conflict do nothing;
      end if;
    end if;
  end if;
  if v_has_events then
  with events as (
    delete from "chainwright".gate_event e
    where e.id = any(array(select v.id from "chainwright".gate_event v order by v.id limit 500 for update skip locked))
    returning e.gate, e.lanes)
  select array_agg(e.gate), array_agg(e.lanes), sum(e.events) = 500
  into v_event_gate, v_event_lanes, v_has_more_events
  from (select e.gate, sum(e.lanes)::integer as lanes, count(*) as events from events e group by e.gate) e;
  if v_event_gate is not null then
    with own as (
      select l.at
      from unnest(v_event_gate, v_event_lanes) as g(gate, lanes), lateral (
        select l.at
        from unnest(p_types) as t(type_name), lateral (
          select l.ctid as at, l.rank, l.turn from "chainwright".lane l
          where l.state > 1 and l.blocked_by = g.gate and l.state = 2 and l.type_name = t.type_name
          order by l.rank, l.turn limit g.lanes for update skip locked) l
        order by l.rank, l.turn limit g.lanes) l
      where g.lanes < 1000),
    other as (
      select l.at
      from unnest(v_event_gate, v_event_lanes) as g(gate, lanes), lateral (
        select l.ctid as at from "chainwright".lane l
        where l.state > 1 and l.blocked_by = g.gate and l.state = 2 and l.type_name <> all(array_remove(p_types, null))
        order by l.type_name, l.rank, l.turn limit g.lanes for update skip locked) l
      where g.lanes < 1000)
    update "chainwright".lane l set state = 1, blocked_by = null, look_at = null
    from (select o.at from own o union all select o.at from other o) o where l.ctid = o.at;
    if 1000 <= any(v_event_lanes) then
      with changed as (
        select l.at
        from unnest(v_event_gate, v_event_lanes) as g(gate, lanes), lateral (
          select l.ctid as at from "chainwright".lane l
          where l.state > 1 and l.blocked_by >= g.gate
            and l.blocked_by <= case when right(g.gate, 1) = E'\x01' then rtrim(g.gate, E'\x01') || E'\x02' else g.gate end
          order by l.blocked_by, l.state, l.type_name, l.rank, l.turn limit 1000 for update skip locked) l
        where g.lanes >= 1000)
      update "chainwright".lane l set state = 1, blocked_by = null, look_at = null from changed c where l.ctid = c.at;
      update "chainwright".kept k set look_at = p_now
      where k.job_id = any(array(
        select h.job_id from "chainwright".kept h where h.look_at > p_now order by h.job_id limit 1000 for update skip locked));
    end if;
  end if;
  end if;
  if v_has_looks then
  with due as (
    select l.at, l.state, l.blocked_by
    from unnest(p_types) as t(type_name), lateral (
      select l.ctid as at, l.state, l.blocked_by, l.look_at from "chainwright".lane l
      where l.type_name collate "POSIX" = t.type_name and l.look_at <= p_now
      order by l.look_at limit 100 for update skip locked) l
    order by l.look_at limit 100),
  looked as (
    -- A lane whose gate still has no free place, and all places of its limit, stays closed, so that no claim visits it in vain.
    select g.at, g.state = 2
      and not exists (select from "chainwright".place p where p.gate = any(array[g.gate]) and p.job_id is null)
      and exists (select from "chainwright".place p where p.gate = any(array[g.gate]) and p.n = coalesce(coalesce(k.concurrency, r.override_concurrency, r.concurrency), 2147483647)) as is_full
    from (select d.at, d.state, d.blocked_by as gate from due d) g
      left join "chainwright".limit_rule r on r.name = any(array[pg_catalog.split_part(g.gate, E'\x01', 1)])
      left join "chainwright".gate_rule k on k.gate = any(array[g.gate]))
  update "chainwright".lane l set
    state = case when k.is_full then l.state else 1 end,
    blocked_by = case when k.is_full then l.blocked_by end,
    look_at = case when k.is_full then p_now + 1000 end
  from looked k where l.ctid = k.at;
  end if;
  if v_rows <> '{}' then
    if v_has_events or v_has_looks then
    select coalesce(sum(l.weight), 0), coalesce(array_agg(l.gates::text), '{}'), min(l.rank)
    into v_turns, v_open_gates, v_open_rank
    from unnest(p_types) as t(type_name), lateral (
      select l.weight, l.gates, l.rank from "chainwright".lane l
      where l.type_name collate "POSIX" = t.type_name and l.state = 1 order by l.rank, l.turn limit greatest(v_left, 1)) l;
    if v_open_gates = '{}' then
      v_busy := '{}';
    else
      v_busy := array(select distinct g.gate from unnest(v_open_gates) as l(gates), unnest(l.gates::text[]) as g(gate));
    end if;
    if v_has_kept then
      v_turns := v_turns + (
        select count(*) from unnest(p_types) as t(type_name), lateral (
          select from "chainwright".kept k where k.type_name = t.type_name and k.look_at <= p_now order by k.look_at limit v_left) k);
    end if;
    v_room := greatest(0, v_left - v_turns);
    v_is_uneven := v_is_uneven or v_room = 0 and v_left > 0;
    end if;
    if v_is_missing or v_has_events or v_has_looks then
      select array_agg(g.key order by g.lane), array_agg(g.type_name order by g.lane), array_agg(g.gates::text order by g.lane),
        array_agg(g.now_jobs = 0 order by g.lane), array_agg(g.lease order by g.lane), array_agg(g.may_begin order by g.lane),
        array_agg(case when g.may_begin then least(g.most, case g.now_jobs when 0 then g.jobs else g.now_jobs end) else 0 end::integer
          order by g.lane),
        array_agg(g.jobs > g.most order by g.lane),
        bool_or(g.is_stale)
      into v_key, v_type, v_gates, v_is_ahead, v_lease, v_may_begin, v_asked, v_has_more, v_is_stale
      from (
        select g.*, g.weight * v_most_turns as most, l.gates, l.idle_at <= p_now - 20000 as is_stale,
          coalesce(l.state = 0 and not l.gates && v_busy, false) and g.lane <> all(v_behind) as may_begin
        from (
          select t.lane, (array_agg(t.key))[1] as key, min(t.type_name) as type_name, min(t.lease) as lease,
            count(*) filter (where t.n <= v_room + v_ahead_left) as jobs,
            count(*) filter (where t.n <= v_room) as now_jobs, max(t.weight)::integer as weight
          from unnest(v_job_lane, v_job_key, v_job_type, v_job_lease, v_job_weight) with ordinality as t(lane, key, type_name, lease, weight, n)
          group by t.lane) g
        left join "chainwright".lane l on l.key = any(array[g.key]) and l.type_name = g.type_name) g;
    end if;
    if v_is_uneven then
      select array_agg(t.job_id), array_agg(t.at) into v_late, v_late_at
      from unnest(v_job, v_parked, v_job_lane) as t(job_id, at, lane) where v_is_old or t.lane <> all(v_behind);
      v_is_left := not v_is_old and v_behind <> '{}';
    else
        if v_is_stale then
          update "chainwright".lane l set idle_at = p_now
          from (
            select l.ctid as at from unnest(v_key, v_type) as t(key, type_name)
            join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
            where l.state + 0 = 0 and l.idle_at <= p_now - 20000
            for no key update of l skip locked) t
          where l.ctid = t.at;
        end if;
    v_want := v_asked;
    v_shut := array_fill(null::text, array[cardinality(v_key)]);
    v_shut_state := array_fill(null::smallint, array[cardinality(v_key)]);
    v_look := array_fill(null::double precision, array[cardinality(v_key)]);
    v_shuts := 0;
    select array_agg(p.n) filter (where p.may_begin), array_agg(p.gate) filter (where p.may_begin), array_agg(p.most) filter (where p.may_begin), array_agg(p.tokens) filter (where p.may_begin), array_agg(p.rest) filter (where p.may_begin), array_agg(p.shut) filter (where p.may_begin),
      array_agg(p.n) filter (where not p.may_begin),
      bool_or(p.shut is not null) filter (where p.may_begin), bool_or(p.tokens is not null) filter (where p.may_begin),
      coalesce(array_agg(distinct pg_catalog.split_part(p.gate, E'\x01', 1) collate "C") filter (where p.may_begin), '{}'), '{}', '{}', '{}', '{}'
    into v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_rest, v_pair_shut, v_crowded, v_is_shut, v_has_tokens,
      v_limits, v_place_gate, v_place_at, v_token_gate, v_token_at
    from (
      select p.*, case when p.is_ahead then p.places / 2 else p.places end as most,
        not p.is_ahead or bool_and(p.places > 1 and p.tokens is null and p.shut is null and not p.has_failed and not p.is_shared) over (partition by p.n) as may_begin
      from (
        select p.*, p.is_ahead and not bool_and(p.is_ahead) over (partition by p.gate) as is_shared
        from (
          select c.n, c.is_ahead, g.gate collate "C" as gate, coalesce(coalesce(k.concurrency, r.override_concurrency, r.concurrency), 2147483647) as places,
        case when coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread) then 1 else coalesce(k.rate_count, r.override_rate_count, r.rate_count) end as tokens,
        coalesce(k.rate_per_ms, r.override_rate_per_ms, r.rate_per_ms) / case when coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread) then coalesce(k.rate_count, r.override_rate_count, r.rate_count) else 1 end as rest,
        case when not coalesce(r.is_declared, false) then 'Infinity' when greatest(k.paused_until, r.paused_until, k.open_until) > p_now then greatest(k.paused_until, r.paused_until, k.open_until)
          when k.open_until is not null then -1 end as shut,
        coalesce(k.failed_until > p_now, false) as has_failed
          from unnest(v_gates, v_is_ahead) with ordinality as c(gates, is_ahead, n)
          cross join unnest(c.gates::text[]) as g(gate)
          left join "chainwright".limit_rule r on r.name = any(array[pg_catalog.split_part(g.gate, E'\x01', 1)])
      left join "chainwright".gate_rule k on k.gate = any(array[g.gate])) p) p
      order by p.gate, p.n) p;
    if v_crowded is not null then
      foreach v_lane in array v_crowded loop
        v_want[v_lane] := 0;
      end loop;
    end if;
    v_probed := '{}';
    if -1 = any(v_pair_shut) then
      v_refused := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_shut[i] is distinct from -1;
        v_pair_shut[i] := 'Infinity';
        continue when v_pair_gate[i] = any(v_probed) or v_pair_gate[i] = any(v_refused) or v_want[v_pair_lane[i]] = 0;
        if "chainwright".may_probe_v1(v_pair_gate[i], p_now) then
          v_probed := v_probed || v_pair_gate[i];
          v_pair_shut[i] := null;
          v_want[v_pair_lane[i]] := 1;
        else
          v_refused := v_refused || v_pair_gate[i];
        end if;
      end loop;
    end if;
        v_asked := v_want;
        -- A claim makes places once: those of the lanes that are open, or those of these.
        v_leaves_places := not v_has_made and v_turns > 0 and random() < 0.5;
        v_has_made := v_has_made or v_leaves_places;
    if v_is_shut then
      for i in 1 .. cardinality(v_pair_lane) loop
        v_lane := v_pair_lane[i];
        if v_pair_shut[i] is not null and v_shut[v_lane] is null then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          v_shut[v_lane] := v_pair_gate[i];
          v_shut_state[v_lane] := 3;
          v_look[v_lane] := least(v_pair_shut[i], p_now + 1000);
        end if;
      end loop;
    end if;
    foreach v_limit in array v_limits loop
      loop
        select coalesce(array_agg(p.gate), '{}'), coalesce(array_agg(p.at), '{}'), count(*), (
          select coalesce(sum(v_want[u.lane]), 0) from unnest(v_pair_lane, v_pair_gate, v_pair_places) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null)
        into v_found_gate, v_found_at, v_found, v_wanted
        from (select p.* from (
          select u.gate, min(u.most) as most, sum(v_want[u.lane])::integer as want
          from unnest(v_pair_lane, v_pair_gate, v_pair_places) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null and v_want[u.lane] > 0
          group by u.gate) g,
        lateral (
          select case when exists (select from "chainwright".place p where p.gate = g.gate and p.n > g.most and (p.job_id is null) is false)
            then "chainwright".usable_places_v1(g.gate, g.most) else g.most end as most) u,
        lateral (
          select p.gate, p.ctid as at from "chainwright".place p
          where p.gate = g.gate and p.job_id is null and p.n <= u.most
          order by p.n limit g.want for update skip locked) p order by p.gate) p;
        exit when v_has_made or v_found = v_wanted;
        perform "chainwright".make_places_v1(p_now, v_asked, v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_shut);
        v_has_made := true;
      end loop;
      v_of := null;
      v_next := 1;
      -- If all that were wanted were found, each lane gets what it wants.
      for i in 1 .. case when v_found = v_wanted then 0 else cardinality(v_pair_lane) end loop
        continue when v_pair_places[i] is null or not starts_with(v_pair_gate[i], v_limit || E'\x01');
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          v_found := 0;
          while v_found_gate[v_next] = v_of loop
            v_found := v_found + 1;
            v_next := v_next + 1;
          end loop;
          v_found_all := v_found;
        end if;
        v_lane := v_pair_lane[i];
        continue when v_want[v_lane] = 0;
        if v_found_all = 0 and v_is_ahead[v_lane] then
          v_want[v_lane] := 0;
        elsif v_found_all = 0 then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          if exists (select from "chainwright".place p where p.gate = v_of and p.n = v_pair_places[i]) then
            v_shut[v_lane] := v_of;
            v_shut_state[v_lane] := 2;
            v_look[v_lane] := p_now + 50;
          end if;
        else
          v_want[v_lane] := least(v_want[v_lane], v_found);
          v_found := v_found - v_want[v_lane];
        end if;
      end loop;
      v_place_gate := v_place_gate || v_found_gate;
      v_place_at := v_place_at || v_found_at;
      if v_has_tokens then
      loop
        select coalesce(array_agg(p.gate), '{}'), coalesce(array_agg(p.at), '{}'), count(*), (
          select coalesce(sum(v_want[u.lane]), 0) from unnest(v_pair_lane, v_pair_gate, v_pair_tokens) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null)
        into v_found_gate, v_found_at, v_found, v_wanted
        from (select p.* from (
          select u.gate, min(u.most) as most, sum(v_want[u.lane])::integer as want
          from unnest(v_pair_lane, v_pair_gate, v_pair_tokens) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null and v_want[u.lane] > 0
          group by u.gate) g,
        lateral (
          select p.gate, p.ctid as at from "chainwright".token p
          where p.gate = g.gate and p.free_at <= p_now and p.n <= g.most
          order by p.free_at limit g.want for update skip locked) p order by p.gate) p;
        exit when v_has_made or v_found = v_wanted;
        perform "chainwright".make_places_v1(p_now, v_asked, v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_shut);
        v_has_made := true;
      end loop;
      v_of := null;
      v_next := 1;
      -- If all that were wanted were found, each lane gets what it wants.
      for i in 1 .. case when v_found = v_wanted then 0 else cardinality(v_pair_lane) end loop
        continue when v_pair_tokens[i] is null or not starts_with(v_pair_gate[i], v_limit || E'\x01');
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          v_found := 0;
          while v_found_gate[v_next] = v_of loop
            v_found := v_found + 1;
            v_next := v_next + 1;
          end loop;
          v_found_all := v_found;
        end if;
        v_lane := v_pair_lane[i];
        continue when v_want[v_lane] = 0;
        if v_found_all = 0 and v_is_ahead[v_lane] then
          v_want[v_lane] := 0;
        elsif v_found_all = 0 then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          if exists (select from "chainwright".token p where p.gate = v_of and p.n = v_pair_tokens[i]) then
            v_shut[v_lane] := v_of;
            v_shut_state[v_lane] := 3;
            v_look[v_lane] := least(p_now + 1000, (
              select t.free_at from "chainwright".token t
              where t.gate = v_of and t.free_at > p_now and t.n <= v_pair_tokens[i] order by t.free_at limit 1));
          end if;
        else
          v_want[v_lane] := least(v_want[v_lane], v_found);
          v_found := v_found - v_want[v_lane];
        end if;
      end loop;
        v_token_gate := v_token_gate || v_found_gate;
        v_token_at := v_token_at || v_found_at;
      end if;
    end loop;
        v_has_made := v_has_made and not v_leaves_places;
        v_is_left := v_behind <> '{}';
        if v_want = array_fill(1, array[cardinality(v_rows)]) and (true = any(v_job_is_blocked || v_job_is_noted)) is not true then
          v_job_blocked := null;
          v_job_noted := null;
        else
        select array_agg(t.job_id), array_agg(t.at) into v_late, v_late_at
        from (
          select t.*, row_number() over (partition by t.lane order by t.n) as nth
          from unnest(v_job, v_parked, v_job_lane) with ordinality as t(job_id, at, lane, n)
          order by t.lane, t.n) t
        where t.nth > v_want[t.lane] and v_gates[t.lane] is not null and t.lane <> all(v_behind)
          and (not v_may_begin[t.lane] or v_has_more[t.lane] or not v_is_ahead[t.lane] and v_want[t.lane] < v_asked[t.lane]);
        select coalesce(array_agg(t.at), '{}'), array_agg(t.parked_at), coalesce(array_agg(t.job_id), '{}'), array_agg(t.lane),
          array_agg(t.lease), array_agg(t.since), array_agg(t.rank), array_agg(t.position), array_agg(t.type_name), array_agg(t.attempt),
          array_agg(t.fence), array_agg(t.job_id) filter (where t.is_blocked), array_agg(t.job_id) filter (where t.is_noted)
        into v_rows, v_parked, v_job, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
          v_job_fence, v_job_blocked, v_job_noted
        from (
          select t.*, row_number() over (partition by t.lane order by t.n) as nth
          from unnest(v_rows, v_parked, v_job, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
            v_job_fence, v_job_is_blocked, v_job_is_noted) with ordinality as t(at, parked_at, job_id, lane, lease, since, rank, position, type_name, attempt, fence, is_blocked, is_noted, n)
          order by t.lane, t.n) t
        where t.nth <= v_want[t.lane];
        end if;
    v_count := cardinality(v_rows);
    v_taken := array_fill(0, array[cardinality(v_key)]);
    v_first := v_taken;
    v_last_rank := array_fill((-32768)::smallint, array[cardinality(v_key)]);
    v_last_position := array_fill(0::bigint, array[cardinality(v_key)]);
    if v_count > 0 then
      update "chainwright".open_job o set
        state = 0, leased_by = p_worker, leased_until = p_now + t.lease, started_at = p_now, attempt = o.attempt + 1,
        fence = o.fence + 1
      from unnest(v_rows, v_job_lease) as t(at, lease)
      where o.ctid = t.at;
      delete from "chainwright".parked p where p.ctid = any(v_parked);
      jobs := jobs || v_job;
      types := types || v_job_type;
      attempts := attempts || v_job_attempt;
      fences := fences || v_job_fence;
      since := since || v_job_since;
      blocked := blocked || v_job_blocked;
      noted := noted || v_job_noted;
      v_left := v_left - v_count;
      for i in 1 .. v_count loop
        v_lane := v_job_lane[i];
        if v_taken[v_lane] = 0 then
          v_first[v_lane] := i;
        end if;
        v_taken[v_lane] := v_taken[v_lane] + 1;
        v_last_rank[v_lane] := v_job_rank[i];
        v_last_position[v_lane] := v_job_position[i];
      end loop;
    end if;
        for i in 1 .. cardinality(v_key) loop
          if v_is_ahead[i] then
            v_ahead_left := v_ahead_left - v_taken[i];
            v_left := v_left + v_taken[i];
          end if;
        end loop;
    if v_place_at <> '{}' and v_count > 0 then
      v_of := null;
      v_next := 1;
      v_set_at := '{}';
      v_set_job := '{}';
      v_set_rest := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_places[i] is null;
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          -- What the last gate did not need.
          while v_place_gate[v_next] < v_of collate "C" loop
            v_next := v_next + 1;
          end loop;
        end if;
        v_lane := v_pair_lane[i];
        for k in v_first[v_lane] .. v_first[v_lane] + v_taken[v_lane] - 1 loop
          if v_place_gate[v_next] is distinct from v_of then
            raise exception 'a job of the limit and key % has no place', v_of using errcode = 'data_corrupted';
          end if;
          v_set_at := v_set_at || v_place_at[v_next];
          v_set_job := v_set_job || v_job[k];
          v_set_rest := v_set_rest || v_pair_rest[i];
          v_next := v_next + 1;
        end loop;
      end loop;
      update "chainwright".place p set job_id = a.job_id
      from unnest(v_set_at, v_set_job) as a(at, job_id) where p.ctid = a.at;
    end if;
    if v_token_at <> '{}' and v_count > 0 then
      v_of := null;
      v_next := 1;
      v_set_at := '{}';
      v_set_job := '{}';
      v_set_rest := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_tokens[i] is null;
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          -- What the last gate did not need.
          while v_token_gate[v_next] < v_of collate "C" loop
            v_next := v_next + 1;
          end loop;
        end if;
        v_lane := v_pair_lane[i];
        for k in v_first[v_lane] .. v_first[v_lane] + v_taken[v_lane] - 1 loop
          if v_token_gate[v_next] is distinct from v_of then
            raise exception 'a job of the limit and key % has no place', v_of using errcode = 'data_corrupted';
          end if;
          v_set_at := v_set_at || v_token_at[v_next];
          v_set_job := v_set_job || v_job[k];
          v_set_rest := v_set_rest || v_pair_rest[i];
          v_next := v_next + 1;
        end loop;
      end loop;
      update "chainwright".token t set free_at = p_now + a.rest
      from unnest(v_set_at, v_set_rest) as a(at, rest) where t.ctid = a.at;
    end if;
    if v_probed <> '{}' and v_count > 0 then
      for i in 1 .. cardinality(v_pair_lane) loop
        v_lane := v_pair_lane[i];
        continue when v_pair_gate[i] <> all(v_probed) or v_taken[v_lane] = 0;
        update "chainwright".gate_rule k set probe = v_job[v_first[v_lane]] where k.gate = v_pair_gate[i];
        probes := probes || v_job[v_first[v_lane]];
      end loop;
    end if;
    end if;
    if v_late is not null then
      v_is_left := "chainwright".open_lanes_v1(p_now, v_late, v_late_at) or v_is_left;
      if v_is_old and v_is_ordered and v_behind <> '{}' then
        update "chainwright".lane l set
          state = 3, blocked_by = l.gates[1], look_at = p_now + 100
        from (
          select l.ctid as at from unnest(v_key, v_type) with ordinality as t(key, type_name, n)
          join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
          where t.n = any(v_behind) and l.state > 0 and l.state < 2
          for no key update of l skip locked) t
        where l.ctid = t.at;
      end if;
    end if;
  end if;
  if v_has_kept or v_has_events then
  for v_kept in
    select k.at, o.job_id, o.type_name, o.attempt, o.fence, o.has_blockers, o.noted, o.ctid as job_at, greatest(o.due_at, o.leased_until) as since,
      p_leases[array_position(p_types, o.type_name::text)] as lease, array(
        select (e.pair->>0) || E'\x01' || (e.pair->>1)
        from json_array_elements(j.limits::json->'keys') with ordinality as e(pair, n) order by e.n) as gates
    from unnest(p_types) as t(type_name), lateral (
      select k.ctid as at, k.job_id from "chainwright".kept k
      where k.type_name = t.type_name and k.look_at <= p_now
      order by k.look_at limit v_left for update skip locked) k
    join "chainwright".open_job o on o.job_id = any(array[k.job_id]) and o.state = 3
    join "chainwright".job j on j.id = any(array[k.job_id])
    for update of o skip locked
  loop
    exit when v_left <= 0;
    v_wait := null;
    v_token_at := '{}';
    v_set_rest := '{}';
    v_probed := '{}';
    for v_rule in
      select g.gate, coalesce(coalesce(k.concurrency, r.override_concurrency, r.concurrency), 2147483647) as places,
        case when coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread) then 1 else coalesce(k.rate_count, r.override_rate_count, r.rate_count) end as tokens,
        coalesce(k.rate_per_ms, r.override_rate_per_ms, r.rate_per_ms) / case when coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread) then coalesce(k.rate_count, r.override_rate_count, r.rate_count) else 1 end as rest,
        case when not coalesce(r.is_declared, false) then 'Infinity' when greatest(k.paused_until, r.paused_until, k.open_until) > p_now then greatest(k.paused_until, r.paused_until, k.open_until)
          when k.open_until is not null then -1 end as shut,
        coalesce(k.failed_until > p_now, false) as has_failed from unnest(v_kept.gates) as g(gate) left join "chainwright".limit_rule r on r.name = any(array[pg_catalog.split_part(g.gate, E'\x01', 1)])
      left join "chainwright".gate_rule k on k.gate = any(array[g.gate]) order by g.gate
    loop
      if v_rule.shut = -1 then
        if "chainwright".may_probe_v1(v_rule.gate, p_now) then
          v_probed := v_probed || v_rule.gate;
          v_rule.shut := null;
        else
          v_rule.shut := 'Infinity';
        end if;
      end if;
      v_wait := least(v_rule.shut, p_now + 1000);
      exit when v_rule.shut is not null;
      v_wait := null;
      continue when v_rule.tokens is null;
      insert into "chainwright".token (gate, n, free_at)
      select v_rule.gate, h.last + 1, 0
      from (
        select coalesce((select t.n from "chainwright".token t where t.gate = v_rule.gate order by t.n desc limit 1), 0) as last) h
      where h.last < v_rule.tokens
        and not exists (select from "chainwright".token t where t.gate = v_rule.gate and t.free_at <= p_now)
      on conflict (gate, n) do nothing;
      v_found_token := (
        select t.ctid from "chainwright".token t
        where t.gate = v_rule.gate and t.free_at <= p_now and t.n <= v_rule.tokens
        order by t.free_at limit 1 for update skip locked);
      if v_found_token is null then
        v_wait := least(p_now + 1000, (
          select t.free_at from "chainwright".token t
          where t.gate = v_rule.gate and t.free_at > p_now and t.n <= v_rule.tokens order by t.free_at limit 1));
        exit;
      end if;
      v_token_at := v_token_at || v_found_token;
      v_set_rest := v_set_rest || v_rule.rest;
    end loop;
    if v_wait is not null then
      update "chainwright".kept k set look_at = v_wait where k.ctid = v_kept.at;
      continue;
    end if;
    update "chainwright".token t set free_at = p_now + a.rest
    from unnest(v_token_at, v_set_rest) as a(at, rest) where t.ctid = a.at;
    update "chainwright".open_job o set
      state = 0, leased_by = p_worker, leased_until = p_now + v_kept.lease, started_at = p_now, attempt = o.attempt + 1,
      fence = o.fence + 1
    where o.ctid = v_kept.job_at;
    delete from "chainwright".kept k where k.ctid = v_kept.at;
    if v_probed <> '{}' then
      update "chainwright".gate_rule k set probe = v_kept.job_id where k.gate = any(v_probed);
      probes := probes || v_kept.job_id;
    end if;
    jobs := jobs || v_kept.job_id;
    types := types || v_kept.type_name::text;
    attempts := attempts || v_kept.attempt + 1;
    fences := fences || v_kept.fence + 1;
    if v_kept.has_blockers then
      blocked := blocked || v_kept.job_id;
    end if;
    if v_kept.noted then
      noted := noted || v_kept.job_id;
    end if;
    since := since || v_kept.since;
    v_left := v_left - 1;
  end loop;
  end if;
  -- Where it has looked into the inbox, it knows whether lanes are open.
  if not v_has_inbox or v_has_events or v_has_looks or v_late is not null or v_open_gates <> '{}' then
    for v_round in 1 .. 4 loop
      v_again := false;
      v_ahead := case v_round when 1 then v_ahead_left else 0 end;
      exit when v_left + v_ahead <= 0;
    v_has_locked := false;
    if v_round = 1 then
      select array_agg(c.key), array_agg(c.type_name::text), array_agg(c.gates::text), array_agg(c.full_share), array_agg(c.want),
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
              select l.key, l.type_name, l.gates, l.weight, l.credit, l.rank, row_number() over (order by l.rank, l.turn) as n
              from unnest(p_types) as t(type_name), lateral (
            select l.key, l.type_name, l.gates, l.weight, l.credit, l.rank, l.turn from "chainwright".lane l
            where l.type_name collate "POSIX" = t.type_name and l.state = 1
            order by l.rank, l.turn limit v_left + v_ahead for no key update skip locked) l
          order by l.rank, l.turn limit v_left + v_ahead) c) c) c
        order by c.n) c;
      v_has_locked := v_key is not null and cardinality(v_key) >= v_left;
      if not v_has_locked then
      select array_agg(c.key), array_agg(c.type_name::text), array_agg(c.gates::text), array_agg(c.full_share), array_agg(c.want),
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
              select l.key, l.type_name, l.gates, l.weight, l.credit, l.rank, row_number() over (order by l.rank, l.turn) as n
              from unnest(p_types) as t(type_name), lateral (
            select l.key, l.type_name, l.gates, l.weight, l.credit, l.rank, l.turn from "chainwright".lane l
            where l.type_name collate "POSIX" = t.type_name and l.state = 1
            order by l.rank, l.turn limit v_left + v_ahead) l
          order by l.rank, l.turn limit v_left + v_ahead) c) c) c
        order by c.n) c;
      end if;
      v_seen := v_key;
      v_seen_type := v_type;
    else
      select array_agg(c.key), array_agg(c.type_name::text), array_agg(c.gates::text), array_agg(c.full_share), array_agg(c.want),
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
              select l.key, l.type_name, l.gates, l.weight, l.credit, l.rank, row_number() over (order by l.rank, l.turn) as n
              from unnest(v_seen, v_seen_type) as t(key, type_name)
          join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
          where l.state > 0 and l.state < 2
          order by l.rank, l.turn limit v_left) c) c) c
        order by c.n) c;
    end if;
      exit when v_key is null;
    v_want := v_asked;
    v_shut := array_fill(null::text, array[cardinality(v_key)]);
    v_shut_state := array_fill(null::smallint, array[cardinality(v_key)]);
    v_look := array_fill(null::double precision, array[cardinality(v_key)]);
    v_shuts := 0;
    select array_agg(p.n) filter (where p.may_begin), array_agg(p.gate) filter (where p.may_begin), array_agg(p.most) filter (where p.may_begin), array_agg(p.tokens) filter (where p.may_begin), array_agg(p.rest) filter (where p.may_begin), array_agg(p.shut) filter (where p.may_begin),
      array_agg(p.n) filter (where not p.may_begin),
      bool_or(p.shut is not null) filter (where p.may_begin), bool_or(p.tokens is not null) filter (where p.may_begin),
      coalesce(array_agg(distinct pg_catalog.split_part(p.gate, E'\x01', 1) collate "C") filter (where p.may_begin), '{}'), '{}', '{}', '{}', '{}'
    into v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_rest, v_pair_shut, v_crowded, v_is_shut, v_has_tokens,
      v_limits, v_place_gate, v_place_at, v_token_gate, v_token_at
    from (
      select p.*, case when p.is_ahead then p.places / 2 else p.places end as most,
        not p.is_ahead or bool_and(p.places > 1 and p.tokens is null and p.shut is null and not p.has_failed and not p.is_shared) over (partition by p.n) as may_begin
      from (
        select p.*, p.is_ahead and not bool_and(p.is_ahead) over (partition by p.gate) as is_shared
        from (
          select c.n, c.is_ahead, g.gate collate "C" as gate, coalesce(coalesce(k.concurrency, r.override_concurrency, r.concurrency), 2147483647) as places,
        case when coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread) then 1 else coalesce(k.rate_count, r.override_rate_count, r.rate_count) end as tokens,
        coalesce(k.rate_per_ms, r.override_rate_per_ms, r.rate_per_ms) / case when coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread) then coalesce(k.rate_count, r.override_rate_count, r.rate_count) else 1 end as rest,
        case when not coalesce(r.is_declared, false) then 'Infinity' when greatest(k.paused_until, r.paused_until, k.open_until) > p_now then greatest(k.paused_until, r.paused_until, k.open_until)
          when k.open_until is not null then -1 end as shut,
        coalesce(k.failed_until > p_now, false) as has_failed
          from unnest(v_gates, v_is_ahead) with ordinality as c(gates, is_ahead, n)
          cross join unnest(c.gates::text[]) as g(gate)
          left join "chainwright".limit_rule r on r.name = any(array[pg_catalog.split_part(g.gate, E'\x01', 1)])
      left join "chainwright".gate_rule k on k.gate = any(array[g.gate])) p) p
      order by p.gate, p.n) p;
    if v_crowded is not null then
      foreach v_lane in array v_crowded loop
        v_want[v_lane] := 0;
      end loop;
    end if;
    v_probed := '{}';
    if -1 = any(v_pair_shut) then
      v_refused := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_shut[i] is distinct from -1;
        v_pair_shut[i] := 'Infinity';
        continue when v_pair_gate[i] = any(v_probed) or v_pair_gate[i] = any(v_refused) or v_want[v_pair_lane[i]] = 0;
        if "chainwright".may_probe_v1(v_pair_gate[i], p_now) then
          v_probed := v_probed || v_pair_gate[i];
          v_pair_shut[i] := null;
          v_want[v_pair_lane[i]] := 1;
        else
          v_refused := v_refused || v_pair_gate[i];
        end if;
      end loop;
    end if;
    if v_is_shut then
      for i in 1 .. cardinality(v_pair_lane) loop
        v_lane := v_pair_lane[i];
        if v_pair_shut[i] is not null and v_shut[v_lane] is null then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          v_shut[v_lane] := v_pair_gate[i];
          v_shut_state[v_lane] := 3;
          v_look[v_lane] := least(v_pair_shut[i], p_now + 1000);
        end if;
      end loop;
    end if;
    foreach v_limit in array v_limits loop
      loop
        select coalesce(array_agg(p.gate), '{}'), coalesce(array_agg(p.at), '{}'), count(*), (
          select coalesce(sum(v_want[u.lane]), 0) from unnest(v_pair_lane, v_pair_gate, v_pair_places) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null)
        into v_found_gate, v_found_at, v_found, v_wanted
        from (select p.* from (
          select u.gate, min(u.most) as most, sum(v_want[u.lane])::integer as want
          from unnest(v_pair_lane, v_pair_gate, v_pair_places) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null and v_want[u.lane] > 0
          group by u.gate) g,
        lateral (
          select case when exists (select from "chainwright".place p where p.gate = g.gate and p.n > g.most and (p.job_id is null) is false)
            then "chainwright".usable_places_v1(g.gate, g.most) else g.most end as most) u,
        lateral (
          select p.gate, p.ctid as at from "chainwright".place p
          where p.gate = g.gate and p.job_id is null and p.n <= u.most
          order by p.n limit g.want for update skip locked) p order by p.gate) p;
        exit when v_has_made or v_found = v_wanted;
        perform "chainwright".make_places_v1(p_now, v_asked, v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_shut);
        v_has_made := true;
      end loop;
      v_of := null;
      v_next := 1;
      -- If all that were wanted were found, each lane gets what it wants.
      for i in 1 .. case when v_found = v_wanted then 0 else cardinality(v_pair_lane) end loop
        continue when v_pair_places[i] is null or not starts_with(v_pair_gate[i], v_limit || E'\x01');
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          v_found := 0;
          while v_found_gate[v_next] = v_of loop
            v_found := v_found + 1;
            v_next := v_next + 1;
          end loop;
          v_found_all := v_found;
        end if;
        v_lane := v_pair_lane[i];
        continue when v_want[v_lane] = 0;
        if v_found_all = 0 and v_is_ahead[v_lane] then
          v_want[v_lane] := 0;
        elsif v_found_all = 0 then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          if exists (select from "chainwright".place p where p.gate = v_of and p.n = v_pair_places[i]) then
            v_shut[v_lane] := v_of;
            v_shut_state[v_lane] := 2;
            v_look[v_lane] := p_now + 50;
          end if;
        else
          v_want[v_lane] := least(v_want[v_lane], v_found);
          v_found := v_found - v_want[v_lane];
        end if;
      end loop;
      v_place_gate := v_place_gate || v_found_gate;
      v_place_at := v_place_at || v_found_at;
      if v_has_tokens then
      loop
        select coalesce(array_agg(p.gate), '{}'), coalesce(array_agg(p.at), '{}'), count(*), (
          select coalesce(sum(v_want[u.lane]), 0) from unnest(v_pair_lane, v_pair_gate, v_pair_tokens) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null)
        into v_found_gate, v_found_at, v_found, v_wanted
        from (select p.* from (
          select u.gate, min(u.most) as most, sum(v_want[u.lane])::integer as want
          from unnest(v_pair_lane, v_pair_gate, v_pair_tokens) as u(lane, gate, most)
          where pg_catalog.split_part(u.gate, E'\x01', 1) = v_limit and u.most is not null and v_want[u.lane] > 0
          group by u.gate) g,
        lateral (
          select p.gate, p.ctid as at from "chainwright".token p
          where p.gate = g.gate and p.free_at <= p_now and p.n <= g.most
          order by p.free_at limit g.want for update skip locked) p order by p.gate) p;
        exit when v_has_made or v_found = v_wanted;
        perform "chainwright".make_places_v1(p_now, v_asked, v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_shut);
        v_has_made := true;
      end loop;
      v_of := null;
      v_next := 1;
      -- If all that were wanted were found, each lane gets what it wants.
      for i in 1 .. case when v_found = v_wanted then 0 else cardinality(v_pair_lane) end loop
        continue when v_pair_tokens[i] is null or not starts_with(v_pair_gate[i], v_limit || E'\x01');
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          v_found := 0;
          while v_found_gate[v_next] = v_of loop
            v_found := v_found + 1;
            v_next := v_next + 1;
          end loop;
          v_found_all := v_found;
        end if;
        v_lane := v_pair_lane[i];
        continue when v_want[v_lane] = 0;
        if v_found_all = 0 and v_is_ahead[v_lane] then
          v_want[v_lane] := 0;
        elsif v_found_all = 0 then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          if exists (select from "chainwright".token p where p.gate = v_of and p.n = v_pair_tokens[i]) then
            v_shut[v_lane] := v_of;
            v_shut_state[v_lane] := 3;
            v_look[v_lane] := least(p_now + 1000, (
              select t.free_at from "chainwright".token t
              where t.gate = v_of and t.free_at > p_now and t.n <= v_pair_tokens[i] order by t.free_at limit 1));
          end if;
        else
          v_want[v_lane] := least(v_want[v_lane], v_found);
          v_found := v_found - v_want[v_lane];
        end if;
      end loop;
        v_token_gate := v_token_gate || v_found_gate;
        v_token_at := v_token_at || v_found_at;
      end if;
    end loop;
    select coalesce(array_agg(c.at), '{}'), array_agg(c.parked_at), coalesce(array_agg(c.job_id), '{}'), array_agg(c.lane), array_agg(c.lease),
      array_agg(c.since), array_agg(c.rank), array_agg(c.position), array_agg(c.type_name::text), array_agg(c.attempt + 1), array_agg(c.fence + 1),
      array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.noted)
    into v_rows, v_parked, v_job, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt, v_job_fence, v_job_blocked, v_job_noted
    from (
      select o.*, t.n as lane, t.lease
      from unnest(v_key, v_type, v_want, v_lease) with ordinality as t(key, type_name, want, lease, n),
      lateral (
        select o.ctid as at, p.ctid as parked_at, o.job_id, p.rank, p.position, o.type_name, o.attempt, o.fence, o.has_blockers, o.noted,
          greatest(o.due_at, o.leased_until) as since
        from "chainwright".parked p join "chainwright".open_job o on o.job_id = any(array[p.job_id])
        where p.lane = t.key and p.type_name = t.type_name and o.state = 3 and o.lane = t.key and o.type_name = t.type_name
        order by p.rank, p.position limit t.want for update of o skip locked) o
      where t.want > 0 and pg_catalog.split_part(t.type_name, E'\x01', 1) <> all(array(select p.type_name from "chainwright".pause p where p.at is not null and (p.until is null or p.until > p_now)))) c;
    v_count := cardinality(v_rows);
    v_taken := array_fill(0, array[cardinality(v_key)]);
    v_first := v_taken;
    v_last_rank := array_fill((-32768)::smallint, array[cardinality(v_key)]);
    v_last_position := array_fill(0::bigint, array[cardinality(v_key)]);
    if v_count > 0 then
      update "chainwright".open_job o set
        state = 0, leased_by = p_worker, leased_until = p_now + t.lease, started_at = p_now, attempt = o.attempt + 1,
        fence = o.fence + 1
      from unnest(v_rows, v_job_lease) as t(at, lease)
      where o.ctid = t.at;
      delete from "chainwright".parked p where p.ctid = any(v_parked);
      jobs := jobs || v_job;
      types := types || v_job_type;
      attempts := attempts || v_job_attempt;
      fences := fences || v_job_fence;
      since := since || v_job_since;
      blocked := blocked || v_job_blocked;
      noted := noted || v_job_noted;
      v_left := v_left - v_count;
      for i in 1 .. v_count loop
        v_lane := v_job_lane[i];
        if v_taken[v_lane] = 0 then
          v_first[v_lane] := i;
        end if;
        v_taken[v_lane] := v_taken[v_lane] + 1;
        v_last_rank[v_lane] := v_job_rank[i];
        v_last_position[v_lane] := v_job_position[i];
      end loop;
    end if;
    if v_place_at <> '{}' and v_count > 0 then
      v_of := null;
      v_next := 1;
      v_set_at := '{}';
      v_set_job := '{}';
      v_set_rest := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_places[i] is null;
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          -- What the last gate did not need.
          while v_place_gate[v_next] < v_of collate "C" loop
            v_next := v_next + 1;
          end loop;
        end if;
        v_lane := v_pair_lane[i];
        for k in v_first[v_lane] .. v_first[v_lane] + v_taken[v_lane] - 1 loop
          if v_place_gate[v_next] is distinct from v_of then
            raise exception 'a job of the limit and key % has no place', v_of using errcode = 'data_corrupted';
          end if;
          v_set_at := v_set_at || v_place_at[v_next];
          v_set_job := v_set_job || v_job[k];
          v_set_rest := v_set_rest || v_pair_rest[i];
          v_next := v_next + 1;
        end loop;
      end loop;
      update "chainwright".place p set job_id = a.job_id
      from unnest(v_set_at, v_set_job) as a(at, job_id) where p.ctid = a.at;
    end if;
    if v_token_at <> '{}' and v_count > 0 then
      v_of := null;
      v_next := 1;
      v_set_at := '{}';
      v_set_job := '{}';
      v_set_rest := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when v_pair_tokens[i] is null;
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          -- What the last gate did not need.
          while v_token_gate[v_next] < v_of collate "C" loop
            v_next := v_next + 1;
          end loop;
        end if;
        v_lane := v_pair_lane[i];
        for k in v_first[v_lane] .. v_first[v_lane] + v_taken[v_lane] - 1 loop
          if v_token_gate[v_next] is distinct from v_of then
            raise exception 'a job of the limit and key % has no place', v_of using errcode = 'data_corrupted';
          end if;
          v_set_at := v_set_at || v_token_at[v_next];
          v_set_job := v_set_job || v_job[k];
          v_set_rest := v_set_rest || v_pair_rest[i];
          v_next := v_next + 1;
        end loop;
      end loop;
      update "chainwright".token t set free_at = p_now + a.rest
      from unnest(v_set_at, v_set_rest) as a(at, rest) where t.ctid = a.at;
    end if;
    if v_probed <> '{}' and v_count > 0 then
      for i in 1 .. cardinality(v_pair_lane) loop
        v_lane := v_pair_lane[i];
        continue when v_pair_gate[i] <> all(v_probed) or v_taken[v_lane] = 0;
        update "chainwright".gate_rule k set probe = v_job[v_first[v_lane]] where k.gate = v_pair_gate[i];
        probes := probes || v_job[v_first[v_lane]];
      end loop;
    end if;
    select array_agg(t.next_rank), array_agg(t.may_give and t.next_rank is null) into v_next_rank, v_ran_out
    from (
      select t.may_give, case when t.may_give then (
        select p.rank from "chainwright".parked p
        where p.lane = t.key and p.type_name = t.type_name and (p.rank, p.position) > (t.last_rank, t.last_position)
        order by p.rank, p.position limit 1) end as next_rank
      from (
        select t.*, t.shut is null and t.asked > 0 and (t.taken > 0 or t.want > 0) as may_give
        from unnest(v_key, v_type, v_asked, v_want, v_taken, v_shut, v_last_rank, v_last_position) with ordinality
          as t(key, type_name, asked, want, taken, shut, last_rank, last_position, n)) t
      order by t.n) t;
    v_locked := '{}';
    if true = any(v_ran_out) then
      v_locked := array(
        select t.n::integer
        from unnest(v_key, v_type, v_want, v_taken, v_shut, v_ran_out) with ordinality
          as t(key, type_name, want, taken, shut, ran_out, n)
        join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
        where t.ran_out and l.state > 0 and l.state < 2
        for update of l skip locked);
    end if;
    if v_has_locked then
      v_locked := v_locked || array(
        select t.n::integer
        from unnest(v_want, v_taken, v_shut, v_ran_out) with ordinality as t(want, taken, shut, ran_out, n) where not t.ran_out and (t.shut is not null or t.taken > 0 or t.want > 0));
    elsif false = any(v_ran_out) then
      v_locked := v_locked || array(
        select t.n::integer
        from unnest(v_key, v_type, v_want, v_taken, v_shut, v_ran_out) with ordinality
          as t(key, type_name, want, taken, shut, ran_out, n)
        join "chainwright".lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
        where not t.ran_out and (t.shut is not null or t.taken > 0 or t.want > 0) and l.state > 0 and l.state < 2
        for no key update of l skip locked);
    end if;
    if v_locked <> '{}' then
      update "chainwright".lane l set
        state = case when t.shut is not null then t.shut_state when t.is_empty then 0 else 1 end,
        rank = case when l.rank = t.rank then coalesce(t.next_rank, l.rank) else l.rank end,
        turn = case when t.credit > 0 then l.turn else nextval(E'"chainwright".turn') end,
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
              select p.rank from "chainwright".parked p
              where p.lane = t.key and p.type_name = t.type_name order by p.rank, p.position limit 1) else t.next_rank end as next_rank
          from unnest(v_key, v_type, v_full, v_asked, v_taken, v_shut, v_shut_state, v_look, v_ran_out, v_rank, v_next_rank) with ordinality
            as t(key, type_name, full_share, asked, taken, shut, shut_state, look, ran_out, rank, next_rank, n)
          where t.n = any(v_locked)) t) t
      where l.key = any(array[t.key]) and l.type_name = t.type_name;
    end if;
      v_again := v_count > 0 or v_shuts > 0;
      exit when not v_again;
    end loop;
  end if;
  if v_left > 0 then
    look_at := case when v_again or v_has_more_events or v_is_more then p_now when v_is_left
      then p_now + 100 when exists (
      select from unnest(p_types) as t(type_name), lateral (
        select from "chainwright".lane l
        where l.type_name collate "POSIX" = t.type_name and l.state = 1 and l.key <> all(coalesce(v_seen, '{}')) limit 1) l)
      then p_now + case when 0 < any(v_want) then 100 else 0 end else (
      select min(l.look_at)
      from unnest(p_types) as t(type_name), lateral (
        (select l.look_at from "chainwright".lane l where l.type_name collate "POSIX" = t.type_name and l.look_at is not null order by l.look_at limit 1)
        union all
        (select k.look_at from "chainwright".kept k where k.type_name = t.type_name order by k.look_at limit 1)) l) end;
  end if;
end $body$;

create or replace function "chainwright".leased_rows_v1(v_now double precision, p_jobs uuid[], p_types text[], p_attempts integer[], p_fences integer[],
  p_since double precision[], v_blocked uuid[], v_noted uuid[], p_probes uuid[]) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  return query
  select r.*
  from unnest(p_jobs, p_types, p_attempts, p_fences, p_since) with ordinality as t(job_id, type_name, attempt, fence, since, n)
  join "chainwright".job j on j.id = any(array[t.job_id])
  cross join lateral (
    select 'claimed', j.step, j.priority::integer, t.attempt, t.fence, j.id, j.chain_id, (j.created_at)::bigint, (v_now - t.since)::bigint, t.type_name, j.input, j.errors, j.context union all
    select 'triggered', null::integer, null::integer, null::integer, null::integer, j.id, j.chain_id, null::bigint, null::bigint, j.type_name, null::text, '[' || coalesce(j.limits, 'null') || ',' || coalesce(case when j.id = any(p_probes) then (
            select json_agg(pg_catalog.split_part(k.gate, E'\x01', 1))::text from "chainwright".gate_rule k
            where k.gate = any(array(
        select (e.pair->>0) || E'\x01' || (e.pair->>1)
        from json_array_elements(j.limits::json->'keys') with ordinality as e(pair, n) order by e.n)) and k.open_until is not null and k.probe = j.id) end, 'null') || ',' || coalesce(j.received, 'null') || ',' || coalesce(j.waits, 'null') || ']', null::text where j.limits is not null) r
  order by t.n;
      if v_blocked is not null then
        -- A missing blocker has a row as well, so that the attempt fails to read it and does not get the output of another one.
        return query
        select 'blocker', f.version::integer, e.output_version::integer, null::integer, null::integer, b.job_id, b.chain_id, (f.created_at)::bigint, (e.ended_at)::bigint, f.type_name, f.input, e.output, f.context
        from "chainwright".blocker b
        left join "chainwright".job f on f.id = any(array[b.chain_id])
        left join "chainwright".job e on e.id = any(array[f.ended_job_id])
        where b.job_id = any(v_blocked) and (b.counted or not b.counted)
        order by b.job_id, b.position;
      end if;
      if v_noted <> '{}' then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, m.job_id, m.job_id, null::bigint, null::bigint, '', null::text, '[null,null,null,null,' || json_agg(json_build_array(m.name, m.value)) || ']', null::text
        from "chainwright".memo m where m.job_id = any(v_noted) group by m.job_id;
      end if;
end $body$;

create or replace function "chainwright".change_limits_v1(p_alone text, p_now text, p_changes text) returns table(n integer, is_known integer)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_change record;
  v_of_gate text;
  v_until double precision;
  v_rule record;
  v_by text;
  v_failed_at double precision[];
  v_failed_by text[];
  v_failures integer;
  v_has_changed boolean;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  for v_change in select * from json_to_recordset(p_changes::json) as c(n integer, kind text, "limit" text, key text, version bigint, concurrency integer,
  count integer, "perMs" double precision, spread boolean, "for" double precision,
  job text, fence text, failures integer, within double precision, open double precision) order by c.n loop
    v_of_gate := v_change."limit" || E'\x01' || coalesce(v_change.key, '');
    v_until := v_now + coalesce(v_change."for", 'Infinity');
    if v_change.kind = 'declare' then
      insert into "chainwright".limit_rule as r (name, is_declared, code_version, concurrency, rate_count, rate_per_ms, rate_spread)
      values (v_change."limit", true, v_change.version, v_change.concurrency, v_change.count, v_change."perMs", v_change.spread)
      on conflict (name) do update set
        is_declared = true, code_version = excluded.code_version, concurrency = excluded.concurrency,
        rate_count = excluded.rate_count, rate_per_ms = excluded.rate_per_ms, rate_spread = excluded.rate_spread
      where not r.is_declared or (r.code_version is null or excluded.code_version >= r.code_version) and
        (r.code_version, r.concurrency, r.rate_count, r.rate_per_ms, r.rate_spread) is distinct from
        (excluded.code_version, excluded.concurrency, excluded.rate_count, excluded.rate_per_ms, excluded.rate_spread);
    elsif v_change.kind = 'override' then
      insert into "chainwright".limit_rule (name, is_declared) values (v_change."limit", false) on conflict (name) do nothing;
      if v_change.key is null then
        update "chainwright".limit_rule r set
          override_concurrency = coalesce(v_change.concurrency, r.override_concurrency),
          override_rate_count = coalesce(v_change.count, r.override_rate_count),
          override_rate_per_ms = coalesce(v_change."perMs", r.override_rate_per_ms),
          override_rate_spread = coalesce(v_change.spread, r.override_rate_spread)
        where r.name = v_change."limit";
      else
        insert into "chainwright".gate_rule as k (gate, concurrency, rate_count, rate_per_ms, rate_spread)
        values (v_of_gate, v_change.concurrency, v_change.count, v_change."perMs", v_change.spread)
        on conflict (gate) do update set
          concurrency = coalesce(excluded.concurrency, k.concurrency),
          rate_count = coalesce(excluded.rate_count, k.rate_count),
          rate_per_ms = coalesce(excluded.rate_per_ms, k.rate_per_ms),
          rate_spread = coalesce(excluded.rate_spread, k.rate_spread);
      end if;
    elsif not exists (select from "chainwright".limit_rule r where r.name = v_change."limit") then
      return query select v_change.n, 0;
      continue;
    elsif v_change.kind = 'failed' then
      insert into "chainwright".gate_rule as k (gate) values (v_of_gate)
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
            update "chainwright".gate_rule k set
              failed_at = v_failed_at || v_now, failed_by = v_failed_by || v_by, failed_until = v_now + v_change.within
            where k.gate = v_of_gate;
          end if;
        end if;
      end if;
      if v_has_changed then
        update "chainwright".gate_rule k set
          failed_at = null, failed_by = null, failed_until = null, failures = v_failures,
          open_until = v_now + v_change.open, probe = null
        where k.gate = v_of_gate;
      end if;
      return query select v_change.n, v_has_changed::integer;
      continue;
    elsif v_change.kind = 'succeeded' then
      update "chainwright".gate_rule k set
          failed_at = null, failed_by = null, failed_until = null, failures = null, open_until = null, probe = null
        where k.gate = v_of_gate and k.open_until is not null and k.probe = v_change.job::uuid;
      if not found then
        return query select v_change.n, 0;
        continue;
      end if;
    elsif v_change.key is null then
      update "chainwright".limit_rule r set
        override_concurrency = case v_change.kind when 'reset' then null else r.override_concurrency end,
        override_rate_count = case v_change.kind when 'reset' then null else r.override_rate_count end,
        override_rate_per_ms = case v_change.kind when 'reset' then null else r.override_rate_per_ms end,
        override_rate_spread = case v_change.kind when 'reset' then null else r.override_rate_spread end,
        paused_until = case v_change.kind when 'pause' then greatest(r.paused_until, v_until)
          when 'resume' then null else r.paused_until end
      where r.name = v_change."limit";
      if v_change.kind = 'resume' then
        update "chainwright".gate_rule k set
          failed_at = null, failed_by = null, failed_until = null, failures = null, open_until = null, probe = null
        where k.gate > v_change."limit" || E'\x01' and k.gate < v_change."limit" || E'\x02' and (k.open_until is not null or k.failed_at is not null);
      end if;
    else
      if v_change.kind = 'pause' then
        insert into "chainwright".gate_rule as k (gate, paused_until) values (v_of_gate, v_until)
        on conflict (gate) do update set paused_until = greatest(k.paused_until, excluded.paused_until);
      elsif v_change.kind = 'resume' then
        update "chainwright".gate_rule k set paused_until = null where k.gate = v_of_gate;
        update "chainwright".gate_rule k set
          failed_at = null, failed_by = null, failed_until = null, failures = null, open_until = null, probe = null
        where k.gate = v_of_gate;
      else
        update "chainwright".gate_rule k set concurrency = null, rate_count = null, rate_per_ms = null, rate_spread = null
        where k.gate = v_of_gate;
      end if;
    end if;
    if exists (select from "chainwright".kept) or exists (
      select from "chainwright".lane l where l.state > 1 and l.blocked_by >= v_of_gate
        and l.blocked_by <= case when v_change.key is null then v_change."limit" || E'\x02' else v_of_gate end)
    then
      insert into "chainwright".gate_event (gate, lanes) values (v_of_gate, 1000);
    end if;
    return query select v_change.n, 1;
  end loop;
end $body$;

create or replace function "chainwright".repair_places_v1(p_limit integer) returns integer
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_held uuid[];
  v_jobs uuid[];
  v_from uuid := gen_random_uuid();
begin
  v_held := array(
    select distinct h.job_id from (
      (select p.job_id from "chainwright".place p where p.job_id >= v_from order by p.job_id limit p_limit)
      union all
      (select p.job_id from "chainwright".place p where p.job_id < v_from order by p.job_id limit p_limit)) h);
  v_jobs := array(
    select h.job_id from unnest(v_held) as h(job_id)
    where not exists (
      select from "chainwright".open_job o where o.job_id = any(array[h.job_id]) and (o.state = 0 or o.lane_holds))
      -- In the same snapshot: a job that has ended since the last statement has given its places back.
      and exists (select from "chainwright".place p where p.job_id = any(array[h.job_id])));
  if v_jobs <> '{}' then
    perform "chainwright".give_back_v1(v_jobs);
  end if;
  return cardinality(v_jobs);
end $body$;

create or replace function "chainwright".tidy_limits_v1(v_now double precision, p_limit integer) returns integer
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_gates text[];
  v_lanes integer;
  v_held uuid[];
  v_jobs uuid[];
  v_from uuid := gen_random_uuid();
  v_repaired integer := 0;
begin
  delete from "chainwright".gate_rule k
  where k.gate = any(array(
    select g.gate from "chainwright".gate_rule g
    where g.concurrency is null and g.rate_count is null and (g.paused_until is null or g.paused_until <= v_now)
      and (g.failed_until is null or g.failed_until <= v_now)
      and (g.open_until is null or g.open_until <= v_now - 604800000)
    order by g.gate limit 1000 for update skip locked));
  with idle as materialized (
    select l.ctid as at, l.key, l.gates from "chainwright".lane l
    where l.state = 0 and l.idle_at <= v_now - 60000 order by l.idle_at limit p_limit for update skip locked),
  used as materialized (
    select distinct o.lane
    from "chainwright".place p join "chainwright".open_job o on o.job_id = any(array[p.job_id])
    where p.job_id is not null and o.lane is not null and exists (select from idle)),
  looked as materialized (
    select i.at, case when i.key in (select u.lane from used u) then v_now else (
      select max(t.free_at) - 60000
      from unnest(i.gates) as g(gate), lateral (
        select t.free_at from "chainwright".token t where t.gate = g.gate order by t.free_at desc limit 1) t
      where t.free_at > v_now) end as idle_at
    from idle i),
  gone as (
    delete from "chainwright".lane l using looked k where l.ctid = k.at and k.idle_at is null
    returning l.gates),
  kept as (
    update "chainwright".lane l set idle_at = k.idle_at from looked k where l.ctid = k.at and k.idle_at is not null)
  select count(*), array_agg(distinct u.gate) into v_lanes, v_gates
  from gone g left join lateral unnest(g.gates) as u(gate) on true;
  if v_gates is not null then
    with free as materialized (
      select p.ctid as at, p.gate from "chainwright".place p where p.gate = any(v_gates) and p.job_id is null for update skip locked),
    whole as (
      select f.gate from free f group by f.gate
      having count(*) = (select count(*) from "chainwright".place h where h.gate = any(array[f.gate])))
    delete from "chainwright".place p using free f where p.ctid = f.at and f.gate in (select w.gate from whole w);
    with free as materialized (
      select p.ctid as at, p.gate from "chainwright".token p where p.gate = any(v_gates) and p.free_at <= v_now for update skip locked),
    whole as (
      select f.gate from free f group by f.gate
      having count(*) = (select count(*) from "chainwright".token h where h.gate = any(array[f.gate])))
    delete from "chainwright".token p using free f where p.ctid = f.at and f.gate in (select w.gate from whole w);
  end if;
  v_held := array(
    select distinct h.job_id from (
      (select p.job_id from "chainwright".place p where p.job_id >= v_from order by p.job_id limit p_limit)
      union all
      (select p.job_id from "chainwright".place p where p.job_id < v_from order by p.job_id limit p_limit)) h);
  v_jobs := array(
    select o.job_id
    from unnest(v_held) as h(job_id) join "chainwright".open_job o on o.job_id = any(array[h.job_id])
    where (o.state = 0 and o.leased_until <= v_now - 60000 or o.state in (1, 3) and o.lane_holds and o.due_at <= v_now - 60000) and not exists (
      select from "chainwright".worker w
      where w.alive_until > v_now and pg_catalog.split_part(o.type_name, E'\x01', 1) in (select json_array_elements_text(w.type_names::json)))
    for update of o skip locked);
  if v_jobs <> '{}' then
    update "chainwright".open_job o set state = 1, leased_by = null, leased_until = 0, started_at = null
    where o.job_id = any(v_jobs) and (o.state = 0 and o.leased_until <= v_now - 60000 or o.state in (1, 3) and o.lane_holds and o.due_at <= v_now - 60000);
    delete from "chainwright".kept k where k.job_id = any(v_jobs);
    perform "chainwright".give_back_v1(v_jobs);
    v_repaired := v_repaired + cardinality(v_jobs);
  end if;
  with entries as materialized (
    select a.* from (
    select p.ctid as at, p.job_id, p.lane from "chainwright".parked p where p.lane = '00000000-0000-0000-0000-000000000000'::uuid
    order by p.lane, p.type_name, p.rank, p.position limit p_limit for update skip locked) a union all select b.* from (
    select p.ctid as at, p.job_id, p.lane from "chainwright".parked p where p.lane >= v_from
    order by p.lane, p.type_name, p.rank, p.position limit p_limit for update skip locked) b)
  delete from "chainwright".parked p using entries e
  where p.ctid = e.at and not exists (
    select from "chainwright".open_job o where o.job_id = any(array[e.job_id]) and o.state = 3 and e.lane in (o.lane, '00000000-0000-0000-0000-000000000000'::uuid));
  delete from "chainwright".kept k
  where k.job_id = any(array(
    select h.job_id from "chainwright".kept h
    where not exists (select from "chainwright".open_job o where o.job_id = any(array[h.job_id]) and o.state = 3)
    order by h.job_id limit p_limit for update skip locked));
  with idle as (
    select l.ctid as at, l.key, l.type_name from "chainwright".lane l
    where l.state = 0 order by l.idle_at limit p_limit for update skip locked)
  update "chainwright".lane l set state = 1, idle_at = null
  from idle i
  where l.ctid = i.at and exists (
    select from "chainwright".parked p where p.lane = any(array[i.key]) and p.type_name = any(array[i.type_name]));
  return coalesce(v_lanes, 0) + v_repaired;
end $body$;

create or replace function "chainwright".note_stopped_v1(p_now double precision, p_job uuid[], p_chain uuid[], p_status smallint[]) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  insert into "chainwright".stopped (job_id, chain_id)
  select e.job_id, e.chain_id from unnest(p_job, p_chain, p_status) as e(job_id, chain_id, status) where e.status > 1;
  insert into "chainwright".failure (chain_id, job_id, failed_at, type_name, kind)
  select e.chain_id, e.job_id, p_now, j.type_name, case when j.failed_by is not null then 'blocker'
    else coalesce(substring(right(j.errors, 60) from '"kind":"([0-9A-Za-z_]{1,32})"[}][]]$'), '') end
  from unnest(p_job, p_chain, p_status) as e(job_id, chain_id, status) join "chainwright".job j on j.id = any(array[e.job_id])
  where e.status = 2 order by e.chain_id
  on conflict (chain_id) do update
  set job_id = excluded.job_id, failed_at = excluded.failed_at, type_name = excluded.type_name, kind = excluded.kind;
  insert into "chainwright".expiry (chain_id, kind, since)
  select e.chain_id, case e.status when 2 then 2 else 1 end, p_now
  from unnest(p_chain, p_status) as e(chain_id, status) where e.status > 1 order by e.chain_id
  on conflict (chain_id, kind) do update set since = excluded.since;
end $body$;

create or replace function "chainwright".transaction_id_v1() returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_id text := pg_current_xact_id_if_assigned()::text;
begin
  if v_id is null then
    perform pg_current_xact_id();
  end if;
  return v_id;
end $body$;

create or replace function "chainwright".end_v1(p_now double precision, p_n integer[], p_job uuid[], p_chain uuid[], p_type text[], p_status smallint[],
  p_next uuid[], p_output text[], p_errors text[], p_attempt integer[], p_fence integer[],
  p_started double precision[], p_by text[], p_failed_by uuid[], p_reason text[],
  out completed uuid[], out completed_n integer[], out broken uuid[], out broken_n integer[]) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_keys text[];
  v_holders uuid[];
  v_awaited uuid[];
begin
  with ends as materialized (
    select * from unnest(p_n, p_job, p_chain, p_type, p_status, p_next, p_output, p_errors, p_attempt, p_fence,
        p_started, p_by, p_failed_by, p_reason)
      as e(n, job_id, chain_id, type_name, status, next_id, output, errors, attempt, fence, started_at, ended_by, failed_by,
        reason)),
  first_rows as (
    update "chainwright".job j set
      status = case when e.job_id = j.id then e.status else j.status end,
      output = case when e.job_id = j.id then case when starts_with(e.output, E'\x01') then substr(e.output, 3 + length(split_part(e.output, E'\x01', 2))) else e.output end else j.output end,
      output_version = case when e.job_id = j.id then case when starts_with(e.output, E'\x01') then split_part(e.output, E'\x01', 2)::smallint end else j.output_version end,
      errors = case when e.job_id = j.id then coalesce(e.errors, j.errors) else j.errors end,
      attempt = case when e.job_id = j.id then e.attempt else j.attempt end,
      fence = case when e.job_id = j.id then e.fence else j.fence end,
      started_at = case when e.job_id = j.id then e.started_at else j.started_at end,
      ended_at = case when e.job_id = j.id then p_now else j.ended_at end,
      ended_by = case when e.job_id = j.id then e.ended_by else j.ended_by end,
      next_job_id = case when e.job_id = j.id then e.next_id else j.next_job_id end,
      failed_by = case when e.job_id = j.id then e.failed_by else j.failed_by end,
      chain_status = case when e.next_id is null then e.status else j.chain_status end,
      ended_job_id = case when e.next_id is null then e.job_id end,
      reason = e.reason
    from (select * from ends e where e.job_id = e.chain_id or e.next_id is null order by e.chain_id) e
    where j.id = any(array[e.chain_id])
    returning j.id, j.chain_status, j.key, j.key_scope, j.awaited or j.signals is not null as awaited),
  later_rows as (
    update "chainwright".job j set
      status = e.status,
      output = case when starts_with(e.output, E'\x01') then substr(e.output, 3 + length(split_part(e.output, E'\x01', 2))) else e.output end,
      output_version = case when starts_with(e.output, E'\x01') then split_part(e.output, E'\x01', 2)::smallint end,
      errors = coalesce(e.errors, j.errors),
      attempt = e.attempt,
      fence = e.fence,
      started_at = e.started_at,
      ended_at = p_now,
      ended_by = e.ended_by,
      next_job_id = e.next_id,
      failed_by = e.failed_by
    from (select * from ends e where e.job_id <> e.chain_id order by e.job_id) e
    where j.id = any(array[e.job_id])),
  counted as (
    insert into "chainwright".tally_change (n, type_name, status, count)
    select nextval(E'"chainwright".position'), e.type_name, e.status, e.count
    from (select type_name, status, count(*) as count from ends group by type_name, status) e)
  select
    array_agg(key) filter (where key_scope = 0 and chain_status > 0), array_agg(id) filter (where key_scope = 0 and chain_status > 0),
    array_agg(id) filter (where awaited and chain_status > 0)
  into v_keys, v_holders, v_awaited
  from first_rows;
  -- A statement of its own, because jobs that wait for these chains are all visible only after the chains' rows are locked.
  select
    array_agg(e.id) filter (where e.status = 1), array_agg(e.n) filter (where e.status = 1),
    array_agg(e.id) filter (where e.status > 1), array_agg(e.n) filter (where e.status > 1)
  into completed, completed_n, broken, broken_n
  from unnest(p_n, p_chain, p_status, p_next) as e(n, id, status, next_id)
  where e.next_id is null
    and (current_setting('transaction_isolation') <> 'read committed' or e.id = any(v_awaited) or (select true from "chainwright".blocker b where b.chain_id = e.id limit 1));
  if 2 = any(p_status) or 3 = any(p_status) then
    perform "chainwright".note_stopped_v1(p_now, p_job, p_chain, p_status);
  end if;
  if v_keys is not null then
    delete from "chainwright".deduplication d using unnest(v_keys, v_holders) as h(key, chain_id)
    where d.key = any(array[h.key]) and d.chain_id = h.chain_id;
  end if;
end $body$;

create or replace function "chainwright".start_follow_ups_v1(p_now double precision, p_chain uuid, p_n integer, p_until double precision) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_under_way xid8 := pg_current_xact_id();
  v_each record;
  v_id uuid;
  v_before uuid;
  v_due double precision;
  v_state smallint;
begin
  for v_each in
    select c.step, c.position, b.body, b.body->>'type' as name, (b.body->>'priority')::smallint as priority, b.body->'limits' as limits
    from "chainwright".compensation c, lateral (select c.body::json as body) b
    where c.chain_id = p_chain and c.follower is null
    order by c.step desc, c.position desc
  loop
    v_id := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send((p_now)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
    v_due := case when v_before is null then greatest(p_now, p_until) else p_now end;
    v_state := case when v_before is not null then 2 when v_due > p_now or v_each.limits is not null then 1 else 0 end;
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context, version, pool, limits, follows, on_end)
    values (v_id, v_id, 1, pg_catalog.split_part(v_each.name, E'\x01', 1), v_each.priority, 1, 0, 0, 0, nextval(E'"chainwright".position'),
      p_now, case v_each.step when 0 then (
        select '{"chain":{"id":' || to_json(f.id)::text || ',"typeName":' || to_json(f.type_name)::text || ',"version":' || coalesce(f.version, 1)::text || ',"input":' || f.input
          || ',"startedAt":' || (f.created_at)::bigint::text || '},"status":'
          || case f.chain_status when 2 then '"failed"' else '"cancelled"' end
          || ',"step":{"jobId":' || to_json(e.id)::text || ',"typeName":' || to_json(e.type_name)::text || '}'
          || case when f.chain_status = 2 then coalesce(',"error":' || (e.errors::json->-1)::text, '') else '' end
          || case when f.chain_status = 3 then coalesce(',"reason":' || to_json(f.reason)::text, '') else '' end || '}'
        from "chainwright".job f join "chainwright".job e on e.id = any(array[f.ended_job_id]) where f.id = p_chain) else v_each.body->>'input' end, v_each.body->>'context',
      case when pg_catalog.strpos(v_each.name, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(v_each.name, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(v_each.name, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(v_each.name, E'\x01[^@]*@(.*)$') end, v_each.limits::text, p_chain, case when v_each.body->>'stopped' is not null then true end);
    insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, lane, lane_weight, lane_holds, on_end)
    select j.id, j.id, j.position, v_due, 0, 1, 0, case when v_before is null then 0 else 1 end, v_state, ~j.priority,
      v_before is not null, v_each.name, (v_each.limits::json->>'lane')::uuid, (v_each.limits::json->>'weight')::smallint, (v_each.limits::json->>'holds')::boolean, j.on_end
    from "chainwright".job j where j.id = v_id;
    insert into "chainwright".blocker (job_id, position, chain_id, counted)
    select v_id, 0, v_before, true where v_before is not null;
    insert into "chainwright".compensation (chain_id, step, position, body)
    select v_id, 0, 9223372036854775807, v_each.body->>'stopped' where v_each.body->>'stopped' is not null;
    update "chainwright".compensation c set follower = v_id
    where c.chain_id = p_chain and c.step = v_each.step and c.position = v_each.position;
    return query select 'unblocked', p_n, 1, null::integer, null::integer, v_id, v_id, (v_due - p_now)::bigint, null::bigint, pg_catalog.split_part(v_each.name, E'\x01', 1), case when v_state = 2 then 'blocked' when v_due > p_now then 'scheduled' else 'ready' end, v_each.name, null::text;
    v_before := v_id;
  end loop;
  if v_before is not null then
    update "chainwright".job f set on_end = true where f.id = p_chain and f.on_end is null;
  end if;
end $body$;

create or replace function "chainwright".follow_ends_v1(p_now double precision, p_n integer[], p_jobs uuid[], p_until double precision[]) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_end record;
  v_passes boolean;
begin
  for v_end in
    select i.n, i.until, f.id, f.chain_status
    from unnest(p_n, p_jobs, p_until) with ordinality as i(n, job_id, until, nth)
    join "chainwright".job j on j.id = any(array[i.job_id])
    join "chainwright".job f on f.id = any(array[j.chain_id])
    where f.chain_status > 0
    order by i.nth
  loop
    delete from "chainwright".deadline d where d.chain_id = v_end.id;
    if v_end.chain_status > 1 then
      return query select * from "chainwright".start_follow_ups_v1(p_now, v_end.id, v_end.n, v_end.until);
      continue;
    end if;
    update "chainwright".blocker b set passes = true
    where b.chain_id = v_end.id
      and b.job_id = any(array(select w.job_id from "chainwright".blocker w where w.chain_id = v_end.id and w.own));
    v_passes := found;
    delete from "chainwright".compensation c where c.chain_id = v_end.id and (c.step = 0 or not v_passes);
    update "chainwright".job f set on_end = true
    where f.id = v_end.id and f.on_end is null and exists (select from "chainwright".compensation c where c.chain_id = v_end.id);
  end loop;
end $body$;

create or replace function "chainwright".begin_followers_v1(p_now double precision, p_n integer[], p_jobs uuid[], p_fences integer[]) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_jobs uuid[];
  v_n integer[];
begin
  select array_agg(w.job_id), array_agg(w.n) into v_jobs, v_n
  from (
    select o.job_id, i.n
    from unnest(p_n, p_jobs, p_fences) as i(n, job_id, fence)
    join "chainwright".job j on j.id = any(array[i.job_id])
    join "chainwright".job f on f.id = any(array[j.chain_id])
    join "chainwright".compensation c on c.chain_id = any(array[f.id])
    join "chainwright".open_job o on o.job_id = any(array[c.follower])
    where j.fence = i.fence and j.status > 1 and f.chain_status > 1 and f.on_end and o.state + 0 = 1 and o.fence = 0 and o.step = 1
      and not o.has_blockers
    order by c.follower for update of o) w;
  if v_jobs is null then
    return;
  end if;
  return query
  with begun as (
    update "chainwright".open_job o set due_at = p_now
    where o.job_id = any(v_jobs) and o.state + 0 = 1 and o.fence = 0 and o.due_at > p_now
    returning o.job_id, o.chain_id, o.type_name)
  select 'unblocked', i.n, 1, null::integer, null::integer, b.job_id, b.chain_id, null::bigint, null::bigint, pg_catalog.split_part(b.type_name, E'\x01', 1), 'ready', b.type_name, null::text
  from begun b join unnest(v_jobs, v_n) as i(job_id, n) on i.job_id = b.job_id;
end $body$;

create or replace function "chainwright".pass_compensations_v1(p_now double precision, p_n integer[], p_chains uuid[], p_jobs uuid[]) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_pair record;
  v_open uuid;
  v_status smallint;
begin
  for v_pair in
    select i.n, i.chain_id, i.job_id, j.chain_id as parent, j.step
    from unnest(p_n, p_chains, p_jobs) as i(n, chain_id, job_id) join "chainwright".job j on j.id = any(array[i.job_id])
    where (
      select true from "chainwright".blocker b where b.job_id = i.job_id and b.chain_id = i.chain_id and b.passes limit 1)
    order by i.chain_id, i.job_id
  loop
    v_status := 0;
    v_open := coalesce((select j.id from "chainwright".job j where j.chain_id = v_pair.parent and j.step > 1 order by j.step desc limit 1), v_pair.parent);
    update "chainwright".open_job o set on_end = true
    where o.job_id = any(array(select w.job_id from "chainwright".open_job w where w.job_id = v_open for update skip locked));
    if not found then
      v_status := null;
      if not exists (select from "chainwright".open_job o where o.job_id = v_open) then
        select f.chain_status into v_status from "chainwright".job f where f.id = v_pair.parent for share skip locked;
      end if;
      if v_status is null or v_status = 0 then
        insert into "chainwright".release (position, chain_id, from_id, until_id)
        select nextval(E'"chainwright".position'), v_pair.chain_id, v_pair.job_id, v_pair.job_id
        where not exists (
          select from "chainwright".release r
          where r.chain_id = v_pair.chain_id and v_pair.job_id >= r.from_id and v_pair.job_id <= r.until_id);
        return query select 'locked', v_pair.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text;
        continue;
      end if;
    end if;
    update "chainwright".blocker b set passes = null where b.job_id = v_pair.job_id and b.chain_id = v_pair.chain_id;
    if v_status = 1 then
      delete from "chainwright".compensation c where c.chain_id = v_pair.chain_id;
      continue;
    end if;
    insert into "chainwright".compensation (chain_id, step, position, body)
    select v_pair.parent, v_pair.step, nextval(E'"chainwright".position'), c.body
    from (select c.body from "chainwright".compensation c where c.chain_id = v_pair.chain_id order by c.step, c.position) c;
    delete from "chainwright".compensation c where c.chain_id = v_pair.chain_id;
    if v_status > 1 then
      return query select * from "chainwright".start_follow_ups_v1(p_now, v_pair.parent, v_pair.n, (
        -- The attempt that was running when that chain stopped may still be running.
        select max(o.due_at) from "chainwright".compensation c join "chainwright".open_job o on o.job_id = any(array[c.follower])
        where c.chain_id = v_pair.parent and o.state + 0 = 1 and o.fence = 0 and not o.has_blockers));
    end if;
  end loop;
end $body$;

create or replace function "chainwright".compensate_v1(p_alone text, p_now text, p_items text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_n integer[];
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  with items as materialized (
    select * from json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, body text)),
  held as materialized (
    select i.n, i.body, o.job_id, o.chain_id, o.step, o.on_end
    from (select * from items order by id, n) i join "chainwright".open_job o on o.job_id = any(array[i.id])
    where o.leased_by = i.worker and o.fence = i.fence
    for update of o),
  marked as (
    update "chainwright".open_job o set on_end = true from held h where o.job_id = any(array[h.job_id]) and h.on_end is null),
  written as (
    insert into "chainwright".compensation (chain_id, step, position, body)
    select h.chain_id, h.step, 9223372036854775807, h.body from (select distinct on (h.job_id) h.* from held h order by h.job_id, h.n desc) h
    on conflict (chain_id, step, position) do update set body = excluded.body)
  select array_agg(h.n) into v_n from held h;
  return query
  select 'recorded', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from unnest(v_n) as i(n)
  union all
  select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, "chainwright".lost_reason_v1(i.id), null::text, null::text, null::text
  from json_to_recordset(p_items::json) as i(n integer, id uuid) where i.n <> all(coalesce(v_n, '{}'));
end $body$;

create or replace function "chainwright".note_spent_v1(p_job uuid) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  insert into "chainwright".spent_note (job_id) values (p_job) on conflict do nothing;
end $body$;

create or replace function "chainwright".note_v1(p_alone text, p_now text, p_items text, p_jobs text, p_remembering text, p_skip text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_jobs uuid[] := p_jobs::uuid[];
  v_first uuid[] := '{}';
  v_free uuid[];
  v_busy uuid[] := '{}';
  v_n integer[];
  v_new jsonb;
  v_over uuid[];
  v_many integer[];
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  if p_alone is null and p_skip is null then
    perform from "chainwright".open_job o where o.job_id = any(v_jobs) order by o.job_id for key share;
  else
    if p_remembering <> '{}' then
      v_free := array(
        select o.job_id from "chainwright".open_job o where o.job_id = any(p_remembering::uuid[]) and o.noted is null
        order by o.job_id for no key update skip locked);
      v_first := array(
        select o.job_id from "chainwright".open_job o
        where o.job_id = any(p_remembering::uuid[]) and o.noted is null and o.job_id <> all(v_free));
    end if;
    v_free := array(
      select o.job_id from "chainwright".open_job o where o.job_id = any(v_jobs) and o.job_id <> all(v_first)
      order by o.job_id for key share skip locked);
    v_busy := array(select o.job_id from "chainwright".open_job o where o.job_id = any(v_jobs) and o.job_id <> all(v_free));
  end if;
  with held as materialized (
    select i.*, o.noted
    from json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, attempt integer, memos json,
      checkpoint text, progress text, lines json) join "chainwright".open_job o on o.job_id = any(array[i.id])
    where i.id <> all(v_busy) and o.leased_by = i.worker and o.fence = i.fence and o.leased_until > v_now),
  marked as (
    update "chainwright".open_job o set noted = true
    from (select distinct h.id from held h where h.noted is null and (h.memos is not null or h.checkpoint is not null) order by h.id) h
    where o.job_id = any(array[h.id])),
  added as (
    insert into "chainwright".memo (job_id, name, value, attempt, at)
    select distinct on (h.id, m.name) h.id, m.name, m.value, h.attempt, v_now
    from held h, json_to_recordset(h.memos) as m(name text, value text)
    order by h.id, m.name, h.n
    on conflict (job_id, name) do nothing
    returning job_id, name),
  saved as (
    insert into "chainwright".memo (job_id, name, value, attempt, at)
    select distinct on (h.id) h.id, '', h.checkpoint, h.attempt, v_now
    from held h where h.checkpoint is not null order by h.id, h.n desc
    on conflict (job_id, name) do update set value = excluded.value, attempt = excluded.attempt, at = excluded.at),
  logged as materialized (
    insert into "chainwright".log_line (job_id, seq, at, attempt, level, message, data)
    select distinct on (h.id, l.seq) h.id, l.seq, l.at, h.attempt, l.level, l.message, l.data
    from held h, json_to_recordset(h.lines) as l(seq bigint, at double precision, level text, message text, data text)
    order by h.id, l.seq, h.n
    on conflict (job_id, seq) do nothing
    returning job_id),
  reported as (
    insert into "chainwright".progress as p (job_id, value, attempt, at, lines)
    select r.id, r.value, r.attempt, case when r.value is not null then v_now end, coalesce(c.lines, 0)
    from (
      select h.id, (array_agg(h.progress order by h.n desc) filter (where h.progress is not null))[1] as value,
        (array_agg(h.attempt order by h.n desc) filter (where h.progress is not null))[1] as attempt
      from held h where h.progress is not null or h.lines is not null group by h.id) r
    left join (select g.job_id, count(*)::integer as lines from logged g group by g.job_id) c on c.job_id = r.id
    order by r.id
    on conflict (job_id) do update set
      value = coalesce(excluded.value, p.value), at = coalesce(excluded.at, p.at), attempt = coalesce(excluded.attempt, p.attempt),
      lines = p.lines + excluded.lines
    returning p.job_id, p.lines)
  select (select array_agg(h.n) from held h),
    (select jsonb_object_agg(a.job_id || ' ' || a.name, null) from added a),
    (select array_agg(r.job_id) from reported r where r.lines > 1000),
    (select array_agg(r.lines - 1000) from reported r where r.lines > 1000)
  into v_n, v_new, v_over, v_many;
  if v_over is not null then
    delete from "chainwright".log_line l
    where l.ctid = any(array(
      select d.at from unnest(v_over, v_many) as o(job_id, many), lateral (
        select l.ctid as at from "chainwright".log_line l where l.job_id = o.job_id order by l.seq limit o.many) d));
    update "chainwright".progress p set lines = 1000 where p.job_id = any(v_over);
  end if;
  return query
  select 'noted', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, case when i.memos is not null then (
      select json_agg(case when v_new ? (i.id || ' ' || m.name) then null
        else (select r.value from "chainwright".memo r where r.job_id = i.id and r.name = m.name) end order by m.place)::text
      from rows from (json_to_recordset(i.memos) as (name text)) with ordinality as m(name, place)) end, null::text, null::text, null::text
  from json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, attempt integer, memos json,
      checkpoint text, progress text, lines json) where i.n = any(v_n)
  union all
  select 'busy', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text
  from json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, attempt integer, memos json,
      checkpoint text, progress text, lines json) where i.id = any(v_busy)
  union all
  select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, "chainwright".lost_reason_v1(i.id), null::text, null::text, null::text
  from json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, attempt integer, memos json,
      checkpoint text, progress text, lines json) where i.n <> all(coalesce(v_n, '{}')) and i.id <> all(v_busy);
end $body$;

create or replace function "chainwright".report_v1(p_alone text, p_now text, p_items text, p_jobs text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare

begin
  perform from "chainwright".note_v1(p_alone, p_now, p_items, p_jobs, '{}', '1');
end $body$;

create or replace function "chainwright".followers_of_v1(p_alone text, p_now text, p_chains text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  return query
  select 'unblocked', i.n, 1, null::integer, null::integer, j.id, j.id, (o.due_at - v_now)::bigint, null::bigint, j.type_name, case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else case when o.waits and (o.state = 2 or o.state = 1 and o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.leased_until > v_now then 'running'
    when o.state = 1 and o.due_at > v_now then 'scheduled' else 'ready' end end, j.type_name || case when j.version is null and j.pool is null then '' else
    E'\x01' || coalesce('#' || j.version, '') || coalesce('@' || j.pool, '') end, null::text
  from json_to_recordset(p_chains::json) as i(n integer, id uuid)
  join "chainwright".compensation c on c.chain_id = any(array[i.id])
  join "chainwright".job j on j.id = any(array[c.follower])
  join "chainwright".open_job o on o.job_id = any(array[j.id])
  order by i.n, j.position;
end $body$;

create or replace function "chainwright".release_v1(p_now double precision, p_completed uuid[], p_completed_n integer[], p_broken uuid[], p_broken_n integer[],
  p_completed_from uuid[] default null, p_completed_until uuid[] default null, p_broken_from uuid[] default null,
  p_broken_until uuid[] default null) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_left integer := 500;
  v_is_broken boolean := p_completed is null;
  v_ended uuid[] := coalesce(p_completed, p_broken);
  v_ended_n integer[] := case when v_is_broken then p_broken_n else p_completed_n end;
  v_from uuid[] := case when v_is_broken then p_broken_from else p_completed_from end;
  v_until uuid[] := case when v_is_broken then p_broken_until else p_completed_until end;
  v_at integer[];
  v_found uuid[];
  v_found_chain uuid[];
  v_found_n integer[];
  v_position integer[];
  v_passes boolean;
  v_marked uuid[];
  v_waiting integer;
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_type text[];
  v_state smallint[];
  v_due double precision[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_cause uuid[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return query
    select 'awaited', e.n, case when j.signals then (select count(*)::integer from "chainwright".signal g where g.chain_id = j.id and g.taken_by is null) end, j.awaited::integer, null::integer, e.chain_id, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text
    from unnest(p_completed || p_broken, p_completed_n || p_broken_n) as e(chain_id, n) join "chainwright".job j on j.id = any(array[e.chain_id])
    -- Not where a release is resumed: that was reported when the chain ended.
    where v_from is null and (j.awaited or j.signals) and j.chain_status > 0;
    -- This transaction may not see all the jobs that wait: leave everything to another one.
    return query
    with ended as (
      select * from unnest(p_completed, p_completed_n) as e(chain_id, n) where e.chain_id is not null
      union all select * from unnest(p_broken, p_broken_n) as e(chain_id, n) where e.chain_id is not null),
    kept as (
      insert into "chainwright".release (position, chain_id, from_id, until_id)
      select nextval(E'"chainwright".position'), e.chain_id, '00000000-0000-0000-0000-000000000000'::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid from ended e)
    select 'releasing', e.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from ended e;
    return;
  end if;
  while v_ended is not null loop
    return query
    select 'awaited', e.n, case when j.signals then (select count(*)::integer from "chainwright".signal g where g.chain_id = j.id and g.taken_by is null) end, j.awaited::integer, null::integer, e.chain_id, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text
    from unnest(v_ended, v_ended_n) as e(chain_id, n) join "chainwright".job j on j.id = any(array[e.chain_id])
    -- Not where a release is resumed: that was reported when the chain ended.
    where v_from is null and (j.awaited or j.signals) and j.chain_status > 0;
    -- The jobs to look at, chain by chain in the order of their ids, and one more than that if there is one.
    select array_agg(f.at::integer), array_agg(f.job_id), array_agg(f.chain_id), array_agg(f.n), array_agg(f.position),
      bool_or(f.passes)
    into v_at, v_found, v_found_chain, v_found_n, v_position, v_passes
    from (
      select e.at, e.chain_id, e.n, b.job_id, b.position, b.passes
      from unnest(v_ended, v_ended_n, v_from, v_until) with ordinality as e(chain_id, n, from_id, until_id, at), lateral (
        select distinct on (b.chain_id, b.job_id) b.job_id, b.position, b.passes from "chainwright".blocker b
        where (b.chain_id, b.job_id) >= (e.chain_id, coalesce(e.from_id, '00000000-0000-0000-0000-000000000000'::uuid)) and b.counted
          -- Only this index has that row. The scan begins and ends where these say.
          and b.chain_id = any(array[e.chain_id]) and b.job_id between coalesce(e.from_id, '00000000-0000-0000-0000-000000000000'::uuid) and coalesce(e.until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by b.chain_id, b.job_id, b.position limit v_left + 1) b
      order by e.at, b.job_id limit v_left + 1) f;
    if v_is_broken then
      -- Fail them. The first rows of their chains are locked as well, so that end_v1 waits for no one.
      with waiting as materialized (
        select distinct on (f.job_id) f.job_id, f.n, f.chain_id as cause, replace(replace(replace(case c.chain_status when 2 then E'[{"attempt":0,"at":-1,"workerId":"","name":"blocker-failed","message":"blocker chain \\u0001chain (\\u0001type) failed"}]' else E'[{"attempt":0,"at":-1,"workerId":"","name":"blocker-failed","message":"blocker chain \\u0001chain (\\u0001type) was cancelled"}]' end,
        E'-1', (p_now)::bigint::text), E'\\u0001chain', c.chain_id::text),
        E'\\u0001type', substr(to_json(c.type_name)::text, 2, length(to_json(c.type_name)::text) - 2)) as errors
        from unnest(v_found, v_found_chain, v_found_n, v_position) with ordinality as f(job_id, chain_id, n, position, nth)
        join "chainwright".job j on j.id = any(array[f.job_id])
        join "chainwright".job c on c.id = any(array[f.chain_id])
        where f.nth <= v_left and j.status = 0 and j.on_blocker_failure = 0
        order by f.job_id, f.position),
      held as materialized (
        select w.job_id, w.n, w.cause, w.errors
        from waiting w
        join "chainwright".open_job o on o.job_id = any(array[w.job_id])
        join "chainwright".job c on c.id = any(array[o.chain_id])
        where o.state = 2 for update of o skip locked for no key update of c skip locked),
      gone as (
        delete from "chainwright".open_job o using held h where o.job_id = any(array[h.job_id]) and o.state = 2
        returning h.n, h.cause, h.errors, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, o.on_end)
      select (select count(*) from waiting), array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name),
        array_agg(g.errors), array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause), array_agg(g.job_id) filter (where g.on_end)
      into v_waiting, v_n, v_job, v_chain, v_type, v_errors, v_attempt, v_fence, v_cause, v_marked
      from gone g;
      return query
      select 'failed', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, null::bigint, null::bigint, e.type_name, null::text, null::text, null::text
      from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name);
    else
      -- Count them down. By their ids and not by ctid: a row that another transaction changed just before it was locked
      -- has moved.
      with waiting as materialized (
        select f.job_id, count(*)::integer as chains, max(f.n) as n
        from unnest(v_found, v_found_n) with ordinality as f(job_id, n, nth) where f.nth <= v_left
        group by f.job_id),
      held as materialized (
        select w.job_id, w.chains, w.n from waiting w join "chainwright".open_job o on o.job_id = any(array[w.job_id])
        where o.state = 2 for update of o skip locked),
      counted as (
        update "chainwright".open_job o set
          blockers_left = o.blockers_left - h.chains,
          state = case when o.blockers_left > h.chains then 2 when o.due_at > p_now or o.lane is not null then 1 else 0 end,
          due_at = case when o.blockers_left > h.chains then o.due_at else greatest(o.due_at, p_now) end
        from held h where o.job_id = any(array[h.job_id]) and o.state = 2
        returning h.n, o.job_id, o.chain_id, o.type_name, o.state, o.due_at)
      select (select count(*) from waiting), array_agg(c.n), array_agg(c.job_id), array_agg(c.chain_id), array_agg(c.type_name),
        array_agg(c.state), array_agg(c.due_at)
      into v_waiting, v_n, v_job, v_chain, v_type, v_state, v_due
      from (select * from counted order by job_id) c;
      return query
      select 'unblocked', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, (e.due_at - p_now)::bigint, null::bigint, pg_catalog.split_part(e.type_name, E'\x01', 1), case when e.due_at > p_now then 'scheduled' else 'ready' end, e.type_name, null::text
      from unnest(v_n, v_job, v_chain, v_type, v_state, v_due) as e(n, job_id, chain_id, type_name, state, due_at)
      where e.state <> 2;
    end if;
    if cardinality(v_found) > v_left then
      -- Leave the rest: the chain of the first job not looked at, from that job on, and the chains after it.
      insert into "chainwright".release (position, chain_id, from_id, until_id)
      select nextval(E'"chainwright".position'), e.chain_id, case when e.at = v_at[v_left + 1] then v_found[v_left + 1] else e.from_id end, e.until_id
      from (
        select e.at, e.chain_id, coalesce(e.from_id, '00000000-0000-0000-0000-000000000000'::uuid) as from_id, coalesce(e.until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) as until_id
        from unnest(v_ended, v_ended_n, v_from, v_until) with ordinality as e(chain_id, n, from_id, until_id, at) where e.at >= v_at[v_left + 1]
        -- The chain that had its turn goes behind the others.
        order by e.at = v_at[v_left + 1], e.at) e;
      return query
      select 'releasing', e.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from unnest(v_ended, v_ended_n, v_from, v_until) with ordinality as e(chain_id, n, from_id, until_id, at) where e.at >= v_at[v_left + 1];
    end if;
    if coalesce(cardinality(v_job), 0) < v_waiting then
      -- Leave each job that is still blocked because another transaction has locked it.
      return query
      with locked as materialized (
        select f.chain_id, f.job_id, f.n
        from unnest(v_found_chain, v_found, v_found_n) with ordinality as f(chain_id, job_id, n, nth)
        join "chainwright".open_job o on o.job_id = any(array[f.job_id])
        join "chainwright".job j on j.id = any(array[f.job_id])
        where f.nth <= v_left and o.state = 2 and (j.on_blocker_failure = 0 or not v_is_broken) and f.job_id <> all(coalesce(v_job, '{}'))),
      kept as (
        insert into "chainwright".release (position, chain_id, from_id, until_id)
        select nextval(E'"chainwright".position'), l.chain_id, l.job_id, l.job_id from locked l)
      select 'locked', l.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from locked l;
    end if;
    if v_passes and not v_is_broken then
      return query
      select p.* from (
        select array_agg(f.n) as n, array_agg(f.chain_id) as chains, array_agg(f.job_id) as jobs
        from unnest(v_found, v_found_chain, v_found_n) with ordinality as f(job_id, chain_id, n, nth) where f.nth <= v_left) i,
        lateral "chainwright".pass_compensations_v1(p_now, i.n, i.chains, i.jobs) p;
    end if;
    v_left := v_left - least(v_left, coalesce(cardinality(v_found), 0));
    if not v_is_broken then
      v_is_broken := true;
      v_ended := p_broken;
      v_ended_n := p_broken_n;
      v_from := p_broken_from;
      v_until := p_broken_until;
    else
      v_from := null;
      v_until := null;
      v_ended := null;
      if v_job is not null then
        select c.broken, c.broken_n into v_ended, v_ended_n
        from "chainwright".end_v1(p_now, v_n, v_job, v_chain, v_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
          v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
        if v_marked is not null then
      return query
      select f.* from (
        select array_agg(i.n) as n, array_agg(i.job_id) as jobs from unnest(v_n, v_job) as i(n, job_id) where i.job_id = any(v_marked)) i,
        lateral "chainwright".follow_ends_v1(p_now, i.n, i.jobs, null) f;
        end if;
      end if;
    end if;
  end loop;
end $body$;

create or replace function "chainwright".resume_release_v2(p_now double precision, p_from bigint) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_completed uuid[];
  v_completed_from uuid[];
  v_completed_until uuid[];
  v_broken uuid[];
  v_broken_from uuid[];
  v_broken_until uuid[];
  v_taken integer;
begin
  with due as materialized (
    select r.position from "chainwright".release r join "chainwright".job f on f.id = any(array[r.chain_id])
    where r.position >= p_from
    order by r.position limit 500 for update of r skip locked for share of f skip locked),
  taken as (
    delete from "chainwright".release r using due d where r.position = any(array[d.position])
    returning r.position, r.chain_id, r.from_id, r.until_id)
  select count(*),
    array_agg(t.chain_id order by t.position) filter (where f.chain_status = 1),
    array_agg(t.from_id order by t.position) filter (where f.chain_status = 1),
    array_agg(t.until_id order by t.position) filter (where f.chain_status = 1),
    array_agg(t.chain_id order by t.position) filter (where f.chain_status > 1),
    array_agg(t.from_id order by t.position) filter (where f.chain_status > 1),
    array_agg(t.until_id order by t.position) filter (where f.chain_status > 1)
  into v_taken, v_completed, v_completed_from, v_completed_until, v_broken, v_broken_from, v_broken_until
  from taken t join "chainwright".job f on f.id = any(array[t.chain_id]);
  if v_taken > 0 then
    return query select * from "chainwright".release_v1(p_now,
      v_completed, array_fill(-1, array[coalesce(cardinality(v_completed), 0)]),
      v_broken, array_fill(-1, array[coalesce(cardinality(v_broken), 0)]),
      v_completed_from, v_completed_until, v_broken_from, v_broken_until);
  end if;
  return query select 'resumed', v_taken, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text;
end $body$;

create or replace function "chainwright".resume_release_alone_v1(p_alone text, p_now text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  if exists (select from "chainwright".release) then
    return query select * from "chainwright".resume_release_v2(v_now, 0);
  end if;
end $body$;

create or replace function "chainwright".take_keys_v1(p_now double precision, p_starts jsonb, p_skip integer[], out keys text[], out firsts uuid[], out holders uuid[]) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_start record;
  v_holder uuid;
  v_there uuid[];
  v_gone uuid[] := '{}';
begin
  keys := '{}';
  loop
    -- In the order of the keys, so that two batches that share keys wait for each other in one direction only.
    for v_start in
      select distinct on (i.key) i.*
      from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json)
      where i.scope < 2 and i.key <> all(keys) and i.call <> all(p_skip)
      order by i.key, i.n
    loop
      loop
        -- Waits for an uncommitted transaction that took the key. If it rolls back, this start gets the key.
        v_holder := null;
        insert into "chainwright".deduplication (key, chain_id, scope, until)
        values (v_start.key, v_start.id, v_start.scope, p_now + v_start."window")
        on conflict (key) do nothing;
        exit when found;
        update "chainwright".deduplication d set chain_id = v_start.id, scope = v_start.scope, until = p_now + v_start."window"
        where d.key = v_start.key and (d.until <= p_now or d.chain_id = any(v_gone));
        exit when found;
        select d.chain_id into v_holder from "chainwright".deduplication d where d.key = v_start.key;
        exit when found;
      end loop;
      keys := keys || v_start.key;
      firsts := firsts || case when v_holder is null then v_start.id end;
      holders := holders || v_holder;
    end loop;
    v_there := array(select f.id from "chainwright".job f where f.id = any(holders) order by f.id for key share);
    v_gone := array(select h.id from unnest(holders) as h(id) where h.id is not null and h.id <> all(v_there));
    exit when v_gone = '{}';
    -- These chains were deleted after their keys were read: the keys are free now, or other chains hold them.
    select coalesce(array_agg(k.key), '{}'), array_agg(k.first), array_agg(k.holder) into keys, firsts, holders
    from unnest(keys, firsts, holders) as k(key, first, holder) where k.holder is null or k.holder <> all(v_gone);
  end loop;
end $body$;

create or replace function "chainwright".begin_v1(p_now double precision, p_starts jsonb, p_skip integer[], p_chain uuid[], p_step integer[],
  out live boolean[], out chains uuid[]) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_under_way xid8 := pg_current_xact_id();
  v_start record;
  v_at integer;
  v_up integer;
  v_keys text[];
  v_firsts uuid[];
  v_holders uuid[];
  -- By key: what the start that takes it in this call asked for; null if none does.
  v_scopes smallint[];
  v_windows double precision[];
  v_parents integer[];
  v_written uuid[];
  v_on_end boolean;
begin
  -- Those of a scope above 1 are left to gather_v1.
  select array_agg(i.call <> all(p_skip) and (i.scope > 1) is not true order by i.n), array_agg(i.id order by i.n), array_agg(i.parent order by i.n)
  into live, chains, v_parents
  from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json);
  if exists (select from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) where i.scope < 2) then
    -- Take each key for the first start that asks for it. Seldom this start turns out not to need it.
    select k.keys, k.firsts, k.holders into v_keys, v_firsts, v_holders from "chainwright".take_keys_v1(p_now, p_starts, p_skip) k;
    v_scopes := array_fill(null::smallint, array[coalesce(cardinality(v_keys), 0)]);
    v_windows := array_fill(null::double precision, array[coalesce(cardinality(v_keys), 0)]);
    -- Give the keys to starts, parents first: a start inside another begins only if that one does.
    for v_start in
      select i.* from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) where i.call <> all(p_skip) and (i.scope > 1) is not true order by i.n
    loop
      if v_start.parent is not null and not live[v_start.parent + 1] then
        live[v_start.n + 1] := false;
        chains[v_start.n + 1] := null;
      end if;
      continue when v_start.key is null or not live[v_start.n + 1];
      v_at := array_position(v_keys, v_start.key);
      if v_holders[v_at] is null then
        v_holders[v_at] := v_start.id;
        v_scopes[v_at] := v_start.scope;
        v_windows[v_at] := v_start."window";
      else
        live[v_start.n + 1] := false;
        chains[v_start.n + 1] := v_holders[v_at];
      end if;
      v_up := v_start.parent;
      while v_up is not null loop
        if chains[v_start.n + 1] = chains[v_up + 1] then
          raise exception 'refused' using errcode = 'CW001', detail = json_build_object('n', v_start.call,
            'code', 'blocker-cycle', 'id', chains[v_up + 1], 'references', json_build_array(chains[v_up + 1]))::text;
        end if;
        v_up := v_parents[v_up + 1];
      end loop;
    end loop;
    if v_firsts is distinct from v_holders then
      update "chainwright".deduplication d set chain_id = k.holder, scope = k.scope, until = p_now + k."window"
      from unnest(v_keys, v_firsts, v_holders, v_scopes, v_windows) as k(key, first, holder, scope, "window")
      where d.key = any(array[k.key]) and k.scope is not null and k.holder <> k.first;
      delete from "chainwright".deduplication d
      using unnest(v_keys, v_firsts, v_scopes) as k(key, first, scope)
      where d.key = any(array[k.key]) and d.chain_id = k.first and k.scope is null;
    end if;
  end if;
  with starts as materialized (
    select i.*, nextval(E'"chainwright".position') as position
    from (select * from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json, waits jsonb, ends json) order by w) i
    where live[i.n + 1]),
  written as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, due_at, key, key_scope, key_until, tags, input, context, version, pool, limits, waits, received, on_end)
    select i.id,
      case when i.parent is null then coalesce(p_chain[i.call + 1], i.id) else i.id end,
      case when i.parent is null then coalesce(p_step[i.call + 1], 0) else 0 end + 1,
      pg_catalog.split_part(i.type, E'\x01', 1), i.priority, coalesce(i.wait, 0), 0,
      case when i.parent is null and p_chain[i.call + 1] is not null then null else 0 end,
      0, i.position, p_now,
      -- Needed again when a retry blocks the job.
      case when i.blocked and greatest(p_now, coalesce(i.at, p_now + i.after, p_now)) > p_now or (i.waits is not null and coalesce(i.at, i.after) is not null) then greatest(p_now, coalesce(i.at, p_now + i.after, p_now)) end,
      i.key, i.scope, p_now + i."window", i.tags::text, i.input, i.context,
      case when pg_catalog.strpos(i.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(i.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01[^@]*@(.*)$') end, i.limits::text, i.waits::text, case when i.waits is not null then '[]' end,
      case when i.ends is not null then true end
    from starts i
    on conflict (id) do nothing
    returning id, on_end)
  select array_agg(id), bool_or(on_end) into v_written, v_on_end from written;
  if coalesce(cardinality(v_written), 0) < (select count(*) from unnest(live) as l(is_live) where is_live) then
    select i.call, i.id into v_start
    from (
      select i.*, row_number() over (partition by i.id order by i.w) as nth
      from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) where live[i.n + 1]) i
    where i.nth > 1 or i.id <> all(coalesce(v_written, '{}')) order by i.call, i.w limit 1;
    raise exception 'refused' using errcode = 'CW001',
      detail = json_build_object('n', v_start.call, 'code', 'duplicate-id', 'id', v_start.id)::text;
  end if;
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank, has_blockers,
    type_name, waits, lane, lane_weight, lane_holds, on_end)
  select j.id, j.chain_id, j.position, greatest(p_now, coalesce(i.at, p_now + i.after, p_now)), 0, j.step, 0, 0,
    case when i.blocked or i.waits is not null and not (i.waits is not null and coalesce(i.at, i.after) is not null) then 2 when (i.waits is not null and coalesce(i.at, i.after) is not null) or i.limits is not null or greatest(p_now, coalesce(i.at, p_now + i.after, p_now)) > p_now then 1 else 0 end, ~j.priority,
    coalesce(i.blocked, false), i.type, case when i.waits is not null then true end, (i.limits::json->>'lane')::uuid, (i.limits::json->>'weight')::smallint, (i.limits::json->>'holds')::boolean, j.on_end
  from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json, waits jsonb, ends json) join "chainwright".job j on j.id = any(array[i.id])
  where live[i.n + 1];
  -- Looks at the text only: most calls have no tags.
  if p_starts @? '$[*].tags' then
    insert into "chainwright".tag (name, value, chain_id)
    select t.key, t.value, i.id from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) cross join jsonb_each_text(i.tags) t
    where live[i.n + 1];
  end if;
  if v_on_end then
    insert into "chainwright".compensation (chain_id, step, position, body)
    select i.id, 0, 9223372036854775807, i.ends->>'stopped' from (select i.id, i.ends from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json, waits jsonb, ends json) where live[i.n + 1]) i where i.ends->>'stopped' is not null;
    insert into "chainwright".deadline (chain_id, at)
    select i.id, coalesce((i.ends->>'at')::double precision, p_now + (i.ends->>'after')::double precision)
    from (select i.id, i.ends from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json, waits jsonb, ends json) where live[i.n + 1]) i where i.ends->>'at' is not null or i.ends->>'after' is not null;
  end if;
end $body$;

create or replace function "chainwright".cycle_v1(p_chain uuid) returns uuid[]
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_seen uuid[] := '{}';
  v_edge uuid[] := array[p_chain];
begin
  loop
    select array_agg(distinct b.chain_id) into v_edge
    from unnest(v_edge) as e(id), lateral (
      select l.id from (
        (select j.id, j.step from "chainwright".job j where j.chain_id = e.id and j.step > 1 order by j.step desc limit 1)
        union all select e.id, 1) l
      order by l.step desc limit 1) l
    cross join lateral (
      select b.chain_id from "chainwright".blocker b where b.job_id = l.id and (b.counted or not b.counted) offset 0) b
    join "chainwright".job f on f.id = any(array[b.chain_id]) and f.chain_status <> 1
    where b.chain_id <> all(v_seen);
    if v_edge is null then
      return null;
    end if;
    exit when p_chain = any(v_edge);
    perform from "chainwright".job j where j.id = any(v_edge) order by j.id for share;
    v_seen := v_seen || v_edge;
  end loop;
  return (
    with recursive way(at, path) as (
      select p_chain, array[p_chain]
      union all
      select b.chain_id, w.path || b.chain_id
      from way w, lateral (
      select l.id from (
        (select j.id, j.step from "chainwright".job j where j.chain_id = w.at and j.step > 1 order by j.step desc limit 1)
        union all select w.at, 1) l
      order by l.step desc limit 1) l
    cross join lateral (
      select b.chain_id from "chainwright".blocker b where b.job_id = l.id and (b.counted or not b.counted) offset 0) b
    join "chainwright".job f on f.id = any(array[b.chain_id]) and f.chain_status <> 1
      where (cardinality(w.path) = 1 or w.at <> p_chain) and (b.chain_id = p_chain or b.chain_id <> all(w.path)))
    select w.path from way w where w.at = p_chain and cardinality(w.path) > 1 order by cardinality(w.path) limit 1);
end $body$;

create or replace function "chainwright".block_v1(p_now double precision, p_starts jsonb, p_blockers jsonb, p_live boolean[], p_chains uuid[], p_own uuid[]) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_ids uuid[];
  v_written uuid[];
  v_awaited uuid[];
  v_gates integer;
  v_calls integer[];
  v_order integer[];
  v_start integer[];
  v_position integer[];
  v_chain uuid[];
  v_type text[];
  v_own boolean[];
  v_marked uuid[];
  v_bad record;
  v_n integer[];
  v_job uuid[];
  v_job_chain uuid[];
  v_job_type text[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_cause uuid[];
  v_broken uuid[];
  v_broken_n integer[];
  v_call integer;
  v_cycle uuid[];
begin
  select array_agg(i.id order by i.n), array_agg(i.call order by i.n), array_agg(i.w order by i.n),
    coalesce(array_agg(i.id) filter (where p_live[i.n + 1]), '{}')
  into v_ids, v_calls, v_order, v_written
  from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json);
  select array_agg(l.job order by l.job, l.position), array_agg(l.position order by l.job, l.position),
    array_agg(coalesce(l.chain, p_chains[l.child + 1]) order by l.job, l.position), array_agg(l.type order by l.job, l.position),
    array_agg(case when p_live[l.child + 1] then true end order by l.job, l.position)
  into v_start, v_position, v_chain, v_type, v_own
  from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text)
  where p_live[l.job + 1];
  if v_start is null then
    return;
  end if;
  -- Chains that begin in this call need no lock, and a chain that continues here was locked when its step ended.
  v_awaited := array(select distinct l.chain from unnest(v_chain) as l(chain) where l.chain <> all(v_written));
  v_gates := coalesce(nullif(current_setting('chainwright.gates', true), ''), '0')::integer + cardinality(v_awaited);
  if v_gates <= 100 then
    perform set_config('chainwright.gates', v_gates::text, true);
    perform pg_advisory_xact_lock_shared(uuid_hash_extended(c.id, 7236541)) from (select id from unnest(v_awaited) as u(id) order by id) c;
  end if;
  perform from "chainwright".job j where j.id = any(v_awaited) order by j.id for share;
  -- A chain of the same batch exists only for the jobs that are written after it.
  select v_calls[l.start + 1] as call, l.chain as id,
    case when f.id is null or v_order[array_position(v_ids, l.chain)] >= v_order[l.start + 1] then 'chain-not-found'
      else 'job-type-mismatch' end as code,
    f.type_name as actual
  into v_bad
  from unnest(v_start, v_position, v_chain, v_type) as l(start, position, chain, type)
  left join "chainwright".job f on f.id = any(array[l.chain]) and f.chain_status is not null
  where f.id is null or f.type_name <> l.type or v_order[array_position(v_ids, l.chain)] >= v_order[l.start + 1]
  order by v_calls[l.start + 1], v_order[l.start + 1], l.position limit 1;
  if found then
    raise exception 'refused' using errcode = 'CW001', detail = json_build_object('n', v_bad.call, 'code', v_bad.code,
      'id', v_bad.id, 'actual', case v_bad.code when 'job-type-mismatch' then v_bad.actual end)::text;
  end if;
  insert into "chainwright".blocker (job_id, position, chain_id, counted, own)
  select v_ids[l.start + 1], l.position, l.chain, f.chain_status <> 1, l.own
  from unnest(v_start, v_position, v_chain, v_own) as l(start, position, chain, own) join "chainwright".job f on f.id = any(array[l.chain]);
  update "chainwright".open_job o set
    blockers_left = w.waits_for,
    state = case when w.waits_for > 0 then 2 when o.due_at > p_now or o.lane is not null then 1 else 0 end
  from (
    select v_ids[l.start + 1] as job_id, count(distinct l.chain) filter (where f.chain_status <> 1)::integer as waits_for
    from unnest(v_start, v_chain) as l(start, chain) join "chainwright".job f on f.id = any(array[l.chain])
    group by l.start) w
  where o.job_id = any(array[w.job_id]);
  -- Only a chain that existed before can close a ring: others may wait for it already.
  for v_call in select distinct v_calls[l.start + 1] from unnest(v_start) as l(start) where p_own[v_calls[l.start + 1] + 1] is not null
  loop
    v_cycle := "chainwright".cycle_v1(p_own[v_call + 1]);
    if v_cycle is not null then
      raise exception 'refused' using errcode = 'CW001', detail = json_build_object('n', v_call, 'code', 'blocker-cycle',
        'id', p_own[v_call + 1], 'references', to_json(v_cycle))::text;
    end if;
  end loop;
  -- Jobs fail at once if a chain that they wait for has failed or was cancelled, unless they choose to wait.
  with own as (
    select distinct on (l.start) v_ids[l.start + 1] as job_id, v_calls[l.start + 1] as n, l.chain as cause,
      replace(replace(replace(case c.chain_status when 2 then E'[{"attempt":0,"at":-1,"workerId":"","name":"blocker-failed","message":"blocker chain \\u0001chain (\\u0001type) failed"}]' else E'[{"attempt":0,"at":-1,"workerId":"","name":"blocker-failed","message":"blocker chain \\u0001chain (\\u0001type) was cancelled"}]' end,
        E'-1', (p_now)::bigint::text), E'\\u0001chain', c.chain_id::text),
        E'\\u0001type', substr(to_json(c.type_name)::text, 2, length(to_json(c.type_name)::text) - 2)) as errors
    from unnest(v_start, v_position, v_chain) as l(start, position, chain)
    join "chainwright".job c on c.id = any(array[l.chain])
    join "chainwright".job j on j.id = any(array[v_ids[l.start + 1]])
    where c.chain_status > 1 and j.on_blocker_failure = 0
    order by l.start, l.position),
  gone as (
    delete from "chainwright".open_job o using own w where o.job_id = any(array[w.job_id])
    returning w.n, w.cause, w.errors, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, o.on_end)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.errors),
    array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause), array_agg(g.job_id) filter (where g.on_end)
  into v_n, v_job, v_job_chain, v_job_type, v_errors, v_attempt, v_fence, v_cause, v_marked
  from gone g;
  if v_job is not null then
    return query
    select 'failed', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, null::bigint, null::bigint, e.type_name, null::text, null::text, null::text
    from unnest(v_n, v_job, v_job_chain, v_job_type) as e(n, job_id, chain_id, type_name);
    select c.broken, c.broken_n into v_broken, v_broken_n
    from "chainwright".end_v1(p_now, v_n, v_job, v_job_chain, v_job_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
      v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
    if v_marked is not null then
      return query
      select f.* from (
        select array_agg(i.n) as n, array_agg(i.job_id) as jobs from unnest(v_n, v_job) as i(n, job_id) where i.job_id = any(v_marked)) i,
        lateral "chainwright".follow_ends_v1(p_now, i.n, i.jobs, null) f;
    end if;
    return query select * from "chainwright".release_v1(p_now, null, null, v_broken, v_broken_n);
  end if;
end $body$;

create or replace function "chainwright".lost_reason_v1(p_job uuid) returns text
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_reason text;
begin
  select case when f.chain_status = 3 then 'cancelled' when j.status <> 0 then 'completed-elsewhere' else 'lease-lost' end
  into v_reason
  from "chainwright".job j join "chainwright".job f on f.id = any(array[j.chain_id]) where j.id = p_job;
  return coalesce(v_reason, 'cancelled');
end $body$;

create or replace function "chainwright".hold_fence_v1(p_job text, p_worker text, p_fence text) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_job uuid := p_job::uuid;
begin
  perform from "chainwright".open_job o
  where o.job_id = any(array[v_job]) and o.leased_by = p_worker and o.fence = p_fence::integer
  for share;
  return case when not found then "chainwright".lost_reason_v1(v_job) end;
end $body$;

create or replace function "chainwright".lock_topics_v1(p_topics text[], p_publishes boolean, p_free boolean) returns boolean
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  if p_free then
    return (select coalesce(bool_and(pg_try_advisory_xact_lock_shared(k.key)), true) from (select distinct hashtextextended(E'"chainwright" ' || t.topic, 4182097) as key from unnest(p_topics) as t(topic) order by 1) k);
  end if;
  if p_publishes then
    perform pg_advisory_xact_lock(k.key) from (select distinct hashtextextended(E'"chainwright" ' || t.topic, 4182097) as key from unnest(p_topics) as t(topic) order by 1) k;
  else
    perform pg_advisory_xact_lock_shared(k.key) from (select distinct hashtextextended(E'"chainwright" ' || t.topic, 4182097) as key from unnest(p_topics) as t(topic) order by 1) k;
  end if;
  return true;
end $body$;

create or replace function "chainwright".leave_topics_v1(p_job uuid) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  delete from "chainwright".topic t where t.job_id = p_job;
end $body$;

create or replace function "chainwright".ends_wait_v1(p_waits json, p_names text[]) returns boolean
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_last text := p_names[cardinality(p_names)];
  v_asked integer := (p_waits->'collect'->>v_last)::integer;
begin
  if v_last is null then
    return false;
  elsif coalesce(v_asked, 1) = 1 then
    return true;
  end if;
  return (select count(*) from unnest(p_names) as n(name) where n.name = v_last) >= v_asked;
end $body$;

create or replace function "chainwright".begin_wait_v1(p_now double precision, p_job uuid) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_job record;
  v_type text;
  v_signal record;
  v_received text[];
  v_names text[];
  v_taken bigint[] := '{}';
  v_is_over boolean;
begin
  select o.chain_id, o.type_name, o.due_at, o.state, j.waits::json as waits, j.received::json as received into v_job
  from "chainwright".open_job o join "chainwright".job j on j.id = any(array[o.job_id]) where o.job_id = p_job;
  v_type := pg_catalog.split_part(v_job.type_name, E'\x01', 1);
  if v_job.waits->'topics' is not null then
    insert into "chainwright".topic (topic, job_id)
    select t.topic, p_job from json_array_elements_text(v_job.waits->'topics') as t(topic)
    on conflict do nothing;
    with stored as (
      insert into "chainwright".signal (chain_id, position, type_name, name, payload, signal_id, context, at)
      select v_job.chain_id, coalesce((select g.position from "chainwright".signal g where g.chain_id = v_job.chain_id order by g.position desc limit 1), 0) + row_number() over (order by p.position),
        p.type_name, p.name, p.payload, p.signal_id, p.context, p.at
      from "chainwright".publication p
      where p.topic = any(array(select json_array_elements_text(v_job.waits->'topics'))) and p.type_name = v_type and p.until + 0 > p_now
      on conflict (chain_id, signal_id) where signal_id is not null do nothing
      returning 1)
    update "chainwright".job f set signals = true where f.id = v_job.chain_id and exists (select from stored);
  end if;
  select array_agg(r.signal::text order by r.n), array_agg(r.signal->>'signal' order by r.n) into v_received, v_names
  from json_array_elements(v_job.received) with ordinality as r(signal, n);
  v_is_over := "chainwright".ends_wait_v1(v_job.waits, v_names);
  if not v_is_over then
    for v_signal in
      select g.* from "chainwright".signal g
      where g.chain_id = v_job.chain_id and g.type_name = v_type and g.taken_by is null order by g.position
    loop
      v_received := v_received || json_build_object('signal', v_signal.name, 'payload', v_signal.payload, 'at', (v_signal.at)::bigint, 'signalId', v_signal.signal_id, 'context', v_signal.context)::text;
      v_names := v_names || v_signal.name;
      v_taken := v_taken || v_signal.position;
      v_is_over := "chainwright".ends_wait_v1(v_job.waits, v_names);
      exit when v_is_over;
    end loop;
  end if;
  if v_taken <> '{}' then
    update "chainwright".signal g set taken_by = p_job where g.chain_id = v_job.chain_id and g.position = any(v_taken);
    update "chainwright".job j set received = '[' || array_to_string(v_received, ',') || ']' where j.id = p_job;
  end if;
  if v_is_over or v_job.state = 1 and v_job.due_at <= p_now then
    update "chainwright".open_job o set waits = false, state = case when o.lane is null then 0 else 1 end, due_at = p_now
    where o.job_id = p_job;
    perform "chainwright".leave_topics_v1(p_job);
  end if;
end $body$;

create or replace function "chainwright".begin_waits_v1(p_now double precision, p_starts jsonb, p_live boolean[]) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  perform "chainwright".begin_wait_v1(p_now, o.job_id)
  from (
    select i.id from jsonb_to_recordset(p_starts) as i(n integer, w integer, id uuid, waits jsonb)
    where i.waits is not null and p_live[i.n + 1] order by i.w) i
  cross join lateral (select o.job_id from "chainwright".open_job o where o.job_id = i.id offset 0) o;
end $body$;

create or replace function "chainwright".deliver_v1(p_now double precision, p_items json, p_started boolean) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_n integer[];
  v_chain uuid[];
  v_topic text[];
  v_type text[];
  v_name text[];
  v_payload text[];
  v_id text[];
  v_context text[];
  v_keep double precision[];
  v_jobs uuid[] := '{}';
  -- By topic and job that waits for it.
  v_waiter_topic text[];
  v_waiter uuid[];
  v_locked uuid[];
  v_others uuid[];
  v_chains uuid[];
  v_status smallint[];
  v_bad record;
  v_each record;
  v_now_at uuid;
  v_position bigint;
  v_received text[];
  v_names text[];
  v_waits boolean;
  v_took boolean := false;
  v_new_at integer[] := '{}';
  v_new_chain uuid[] := '{}';
  v_new_position bigint[] := '{}';
  v_new_by uuid[] := '{}';
  v_delivered text[];
  v_reached integer[];
  v_took_job uuid[] := '{}';
  v_took_text text[] := '{}';
  v_woken_n integer[] := '{}';
  v_woken uuid[] := '{}';
  v_last_job uuid;
begin
  select array_agg(i.n order by i.n), array_agg(i.chain order by i.n), array_agg(i.topic order by i.n), array_agg(i.type order by i.n),
    array_agg(i.name order by i.n), array_agg(i.payload order by i.n), array_agg(i.id order by i.n), array_agg(i.context order by i.n),
    array_agg(i.keep order by i.n)
  into v_n, v_chain, v_topic, v_type, v_name, v_payload, v_id, v_context, v_keep
  from json_to_recordset(p_items) as i(n integer, chain uuid, topic text, type text, name text, payload text, id text, context text,
    keep double precision);
  v_delivered := array_fill('taken'::text, array[cardinality(v_n)]);
  v_reached := array_fill(0, array[cardinality(v_n)]);
  if array_remove(v_topic, null) <> '{}' then
    perform "chainwright".lock_topics_v1(array_remove(v_topic, null), true, false);
    insert into "chainwright".publication (topic, type_name, name, payload, signal_id, context, at, until)
    select i.topic, i.type, i.name, i.payload, i.id, i.context, p_now, p_now + v_keep[i.n + 1]
    from unnest(v_n, v_chain, v_topic, v_type, v_name, v_payload, v_id, v_context)
    as i(n, chain, topic, type, name, payload, id, context) where i.topic is not null and v_keep[i.n + 1] > 0 order by i.n;
    select array_agg(t.topic), array_agg(t.job_id) into v_waiter_topic, v_waiter
    from (select distinct i.topic from unnest(v_topic) as i(topic)) i cross join lateral (select t.topic, t.job_id from "chainwright".topic t where t.topic = i.topic offset 0) t;
    v_jobs := array(select distinct w.id from unnest(v_waiter) as w(id));
  end if;
  v_chains := array(select distinct i.id from unnest(v_chain) as i(id) where i.id is not null);
  v_jobs := v_jobs || array(select coalesce(
      (select j.id from "chainwright".job j where j.chain_id = i.id and j.step > 1 order by j.step desc limit 1), i.id) from unnest(v_chains) as i(id));
  v_locked := array(
    select o.job_id from "chainwright".open_job o where o.job_id = any(v_jobs) and (o.waits or current_setting('transaction_isolation') <> 'read committed')
    order by o.chain_id for update);
  select array_agg(w.topic), array_agg(w.job_id) into v_waiter_topic, v_waiter
  from unnest(v_waiter_topic, v_waiter) as w(topic, job_id) where w.job_id = any(v_locked);
  v_chains := v_chains || array(
    select o.chain_id from "chainwright".open_job o where o.job_id = any(v_locked) and o.chain_id <> all(v_chains));
  select coalesce(array_agg(f.id), '{}'), array_agg(f.chain_status) into v_chains, v_status
  from (
    select f.id, f.chain_status from "chainwright".job f where f.id = any(v_chains) and f.chain_status is not null
    order by f.id for no key update) f;
  select i.n, i.chain as id, i.status into v_bad
  from (
    select i.n, i.chain, v_status[array_position(v_chains, i.chain)] as status from unnest(v_n, v_chain) as i(n, chain)
    where i.chain is not null) i
  where i.status is distinct from 0 order by i.n limit 1;
  if found then
    if p_started then
      raise exception 'overtaken' using errcode = 'CW004';
    end if;
    raise exception 'refused' using errcode = 'CW001', detail = json_build_object('signal', v_bad.n, 'id', v_bad.id,
      'code', case when v_bad.status is null then 'chain-not-found' else 'chain-not-active' end,
      'actual', (array['completed', 'failed', 'cancelled'])[v_bad.status])::text;
  end if;
  v_others := array(
    select o.job_id
    from (select distinct i.id from unnest(v_chain) as i(id) where i.id is not null) c
    join "chainwright".open_job o on o.job_id = any(array[coalesce(
      (select j.id from "chainwright".job j where j.chain_id = c.id and j.step > 1 order by j.step desc limit 1), c.id)])
    where o.waits and o.job_id <> all(v_locked));
  if v_others <> '{}' then
    v_locked := v_locked || array(
      select o.job_id from "chainwright".open_job o where o.job_id = any(v_others) and o.waits order by o.chain_id for update skip locked);
    if not v_others <@ v_locked then
      raise exception 'overtaken' using errcode = 'CW004';
    end if;
  end if;
  for v_each in
    select e.*, e.id is not null and (
      row_number() over (partition by e.chain_id, e.id order by e.n) > 1
      or exists (select from "chainwright".signal g where g.chain_id = e.chain_id and g.signal_id = e.id)) as is_known
    from (
      select i.*, i.chain as chain_id, w.job_id, w.type_name, w.waits, w.received
      from unnest(v_n, v_chain, v_topic, v_type, v_name, v_payload, v_id, v_context)
    as i(n, chain, topic, type, name, payload, id, context) left join lateral (
        select o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, j.waits::json as waits, j.received::json as received
        from "chainwright".open_job o join "chainwright".job j on j.id = any(array[o.job_id])
        where o.waits and o.job_id = any(v_locked) and o.job_id = any(array[coalesce(
      (select j.id from "chainwright".job j where j.chain_id = i.chain and j.step > 1 order by j.step desc limit 1), i.chain)])) w on true
      where i.chain is not null
      union all
      select i.*, w.chain_id, w.job_id, w.type_name, w.waits, w.received
      from unnest(v_n, v_chain, v_topic, v_type, v_name, v_payload, v_id, v_context)
    as i(n, chain, topic, type, name, payload, id, context) join unnest(v_waiter_topic, v_waiter) as t(topic, job_id) on t.topic = i.topic cross join lateral (
        select o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, j.waits::json as waits, j.received::json as received
        from "chainwright".open_job o join "chainwright".job j on j.id = any(array[o.job_id])
        where o.waits and o.job_id = any(array[t.job_id])) w
      where w.type_name = i.type) e
    order by e.chain_id, e.n
  loop
    if v_now_at is distinct from v_each.chain_id then
      if v_took then
        v_took_job := v_took_job || v_last_job;
        v_took_text := v_took_text || ('[' || array_to_string(v_received, ',') || ']');
        v_took := false;
      end if;
      v_now_at := v_each.chain_id;
      v_last_job := v_each.job_id;
      v_waits := v_each.job_id is not null;
      v_position := coalesce((select g.position from "chainwright".signal g where g.chain_id = v_now_at order by g.position desc limit 1), 0);
      select array_agg(r.signal::text order by r.n), array_agg(r.signal->>'signal' order by r.n) into v_received, v_names
      from json_array_elements(v_each.received) with ordinality as r(signal, n);
    end if;
    -- A publication reaches jobs that wait only.
    continue when v_each.topic is not null and (v_each.is_known or not v_waits);
    if v_each.is_known then
      v_delivered[v_each.n + 1] := 'deduplicated';
      continue;
    end if;
    v_position := v_position + 1;
    v_new_at := v_new_at || v_each.n;
    v_new_chain := v_new_chain || v_now_at;
    v_new_position := v_new_position || v_position;
    if v_waits and v_each.type = v_each.type_name then
      v_new_by := v_new_by || v_each.job_id;
      v_reached[v_each.n + 1] := v_reached[v_each.n + 1] + 1;
      v_received := v_received || json_build_object('signal', v_each.name, 'payload', v_each.payload, 'at', (p_now)::bigint, 'signalId', v_each.id, 'context', v_each.context)::text;
      v_names := v_names || v_each.name;
      v_took := true;
      if "chainwright".ends_wait_v1(v_each.waits, v_names) then
        v_waits := false;
        v_woken_n := v_woken_n || v_each.n;
        v_woken := v_woken || v_each.job_id;
      end if;
    else
      v_new_by := array_append(v_new_by, null);
      v_delivered[v_each.n + 1] := 'buffered';
    end if;
  end loop;
      if v_took then
        v_took_job := v_took_job || v_last_job;
        v_took_text := v_took_text || ('[' || array_to_string(v_received, ',') || ']');
        v_took := false;
      end if;
  if 'buffered' = any(v_delivered) then
    select b.n, b.chain_id as id into v_bad
    from (
      select c.chain_id, count(*) as more, min(c.n) as n from unnest(v_new_chain, v_new_by, v_new_at) as c(chain_id, taken_by, n)
      where c.taken_by is null group by c.chain_id) b
    where b.more + (
      select count(*) from (
        select from "chainwright".signal g where g.chain_id = b.chain_id and g.taken_by is null limit 10000) g) > 10000
    order by b.n limit 1;
    if found then
      raise exception 'refused' using errcode = 'CW001',
        detail = json_build_object('signal', v_bad.n, 'code', 'too-many-signals', 'id', v_bad.id)::text;
    end if;
  end if;
  if v_new_at <> '{}' then
    insert into "chainwright".signal (chain_id, position, type_name, name, payload, signal_id, context, at, taken_by)
    select c.chain_id, c.position, v_type[c.n + 1], v_name[c.n + 1], v_payload[c.n + 1], v_id[c.n + 1], v_context[c.n + 1], p_now, c.taken_by
    from unnest(v_new_at, v_new_chain, v_new_position, v_new_by) as c(n, chain_id, position, taken_by)
    order by c.chain_id, c.position;
    update "chainwright".job f set signals = true
    from (
      select c.chain_id, bool_or(c.taken_by is null) as is_left from unnest(v_new_chain, v_new_by) as c(chain_id, taken_by)
      group by c.chain_id) c
    where f.id = any(array[c.chain_id]) and (f.signals is null or c.is_left);
  end if;
  if v_took_job <> '{}' then
    update "chainwright".job j set received = t.received
    from unnest(v_took_job, v_took_text) as t(id, received) where j.id = any(array[t.id]);
  end if;
  if v_woken <> '{}' then
    update "chainwright".open_job o set waits = false, state = 1, due_at = p_now where o.job_id = any(v_woken);
    delete from "chainwright".topic t where t.job_id = any(v_woken);
  end if;
  return query
  select 'signalled', i.n, case when i.topic is not null then i.reached end, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, i.delivered, null::text, null::text, null::text
  from unnest(v_n, v_chain, v_topic, v_delivered, v_reached) as i(n, chain, topic, delivered, reached)
  where i.chain is not null or i.topic is not null;
  if v_woken <> '{}' then
    return query
    select 'woken', w.n, null::integer, null::integer, null::integer, o.job_id, o.chain_id, null::bigint, null::bigint, pg_catalog.split_part(o.type_name, E'\x01', 1), o.type_name::text, null::text, null::text
    from unnest(v_woken_n, v_woken) as w(n, id) join "chainwright".open_job o on o.job_id = any(array[w.id]);
  end if;
end $body$;

create or replace function "chainwright".signal_v1(p_alone text, p_now text, p_items text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_refusal text;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  loop
    begin
      return query select * from "chainwright".deliver_v1(v_now, p_items::json, false);
      exit;
    exception
      when sqlstate 'CW004' then null;
      when sqlstate 'CW001' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal, null::text, null::text, null::text;
        exit;
    end;
  end loop;
end $body$;

create or replace function "chainwright".signal_one_v1(p_alone text, p_now text, p_chain text, p_type text, p_name text, p_payload text, p_id text, p_context text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_chain uuid := p_chain::uuid;
  v_job uuid;
  v_open record;
  v_has_signals boolean;
  v_is_plain boolean;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  if not current_setting('transaction_isolation') <> 'read committed' then
    v_job := coalesce(
      (select j.id from "chainwright".job j where j.chain_id = v_chain and j.step > 1 order by j.step desc limit 1), v_chain);
    select o.chain_id, o.type_name, pg_catalog.split_part(o.type_name, E'\x01', 1) as type into v_open from "chainwright".open_job o where o.job_id = v_job and o.waits for update;
    if found and v_open.type = p_type then
      select f.signals into v_has_signals from "chainwright".job f where f.id = v_chain and f.chain_status = 0 for no key update;
      select v_open.chain_id = v_chain and j.waits = '{}' and (p_id is null or v_has_signals is null
        or not exists (select from "chainwright".signal g where g.chain_id = v_chain and g.signal_id = p_id))
      into v_is_plain from "chainwright".job j where j.id = v_job;
    end if;
  end if;
  if v_is_plain then
    insert into "chainwright".signal (chain_id, position, type_name, name, payload, signal_id, context, at, taken_by)
    values (v_chain, coalesce((select g.position from "chainwright".signal g where g.chain_id = v_chain order by g.position desc limit 1), 0) + 1, p_type, p_name, p_payload, p_id, p_context, v_now, v_job);
    update "chainwright".job j set received = '[' || json_build_object('signal', p_name, 'payload', p_payload, 'at', (v_now)::bigint, 'signalId', p_id, 'context', p_context)::text || ']', signals = case when v_job = v_chain then true end where j.id = v_job;
    if v_has_signals is null and v_job <> v_chain then
      update "chainwright".job f set signals = true where f.id = v_chain;
    end if;
    update "chainwright".open_job o set waits = false, state = 1, due_at = v_now where o.job_id = v_job;
  kind := 'signalled';
  integer_1 := 0;
  text_1 := 'taken';
  return next;
  kind := 'woken';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_chain;
  text_1 := p_type;
  text_2 := v_open.type_name;
  return next;
  else
    return query select * from "chainwright".signal_v1(null, p_now, json_build_array(json_build_object('n', 0, 'chain', p_chain, 'type', p_type,
      'name', p_name, 'payload', p_payload, 'id', p_id, 'context', p_context))::text);
  end if;
end $body$;

create or replace function "chainwright".start_plain_v1(p_alone text, p_now text, p_starts text) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_under_way xid8 := pg_current_xact_id();
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  with starts as materialized (
    select i.*, nextval(E'"chainwright".position') as position, greatest(v_now, coalesce(i.at, v_now + i.after, v_now)) as due_at
    from json_to_recordset(p_starts::json) as i(id uuid, type text, input text, priority smallint, at double precision, after double precision,
  wait smallint, context text)),
  jobs as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context)
    select i.id, i.id, 1, i.type, i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context
    from starts i)
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name)
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, case when i.due_at > v_now then 1 else 0 end, ~i.priority, false, i.type
  from starts i;
  return v_now;
exception when unique_violation then
  return null;
end $body$;

create or replace function "chainwright".start_plain_named_v1(p_alone text, p_now text, p_starts text) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_under_way xid8 := pg_current_xact_id();
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  with starts as materialized (
    select i.*, nextval(E'"chainwright".position') as position, greatest(v_now, coalesce(i.at, v_now + i.after, v_now)) as due_at
    from json_to_recordset(p_starts::json) as i(id uuid, type text, input text, priority smallint, at double precision, after double precision,
  wait smallint, context text)),
  jobs as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context, version, pool)
    select i.id, i.id, 1, pg_catalog.split_part(i.type, E'\x01', 1), i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context, case when pg_catalog.strpos(i.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(i.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01[^@]*@(.*)$') end
    from starts i)
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name)
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, case when i.due_at > v_now then 1 else 0 end, ~i.priority, false, i.type
  from starts i;
  return v_now;
exception when unique_violation then
  return null;
end $body$;

create or replace function "chainwright".start_limited_named_v1(p_alone text, p_now text, p_starts text) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_under_way xid8 := pg_current_xact_id();
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  with starts as materialized (
    select i.*, row_number() over (partition by i.type, i.limits is null order by i.position) as nth from (
    select i.*, nextval(E'"chainwright".position') as position, greatest(v_now, coalesce(i.at, v_now + i.after, v_now)) as due_at
    from json_to_recordset(p_starts::json) as i(id uuid, type text, input text, priority smallint, at double precision, after double precision,
  wait smallint, context text, limits json)) i),
  jobs as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context, version, pool, limits)
    select i.id, i.id, 1, pg_catalog.split_part(i.type, E'\x01', 1), i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context, case when pg_catalog.strpos(i.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(i.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01[^@]*@(.*)$') end, i.limits::text
    from starts i),
  opened as (
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name, lane, lane_weight, lane_holds)
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, case when i.due_at > v_now then 1 when i.limits is null then 0 when i.nth = 1 then 1 else 3 end, ~i.priority, false, i.type, (i.limits::json->>'lane')::uuid, (i.limits::json->>'weight')::smallint, (i.limits::json->>'holds')::boolean
  from starts i)
  insert into "chainwright".parked (lane, type_name, rank, position, job_id)
  select '00000000-0000-0000-0000-000000000000'::uuid, i.type, ~i.priority, i.position, i.id from starts i where i.limits is not null and i.due_at <= v_now and i.nth > 1;
  return v_now;
exception when unique_violation then
  return null;
end $body$;

create or replace function "chainwright".begin_in_turn_v1(p_now double precision, p_starts jsonb, p_blockers jsonb, p_skip integer[], out live boolean[], out chains uuid[]) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_start record;
  v_top integer;
  v_tops integer[];
  v_calls integer[];
  v_own jsonb;
  v_begun record;
  v_refusal json;
begin
  -- A parent has a lower number than the starts inside it.
  for v_start in select i.n, i.parent, i.call from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) order by i.n loop
    v_tops[v_start.n + 1] := coalesce(v_tops[v_start.parent + 1], v_start.n);
    v_calls[v_start.n + 1] := v_start.call;
  end loop;
  live := array_fill(false, array[cardinality(v_tops)]);
  chains := array_fill(null::uuid, array[cardinality(v_tops)]);
  -- For begin_v1 and block_v1 each start at the top is a call of its own.
  select jsonb_agg(e.start || jsonb_build_object('call', v_tops[(e.start->>'n')::integer + 1])) into v_own
  from jsonb_array_elements(p_starts) as e(start);
  for v_top in
    select t.n - 1 from unnest(v_tops, v_calls) with ordinality as t(top, call, n)
    where t.top = t.n - 1 and t.call <> all(p_skip) order by t.n
  loop
    select b.live, b.chains into v_begun from "chainwright".begin_v1(p_now, v_own, array_remove(v_tops, v_top), null, null) b;
    perform "chainwright".block_v1(p_now, v_own, p_blockers, v_begun.live, v_begun.chains, null);
    for i in 1 .. cardinality(v_tops) loop
      continue when v_tops[i] <> v_top;
      live[i] := v_begun.live[i];
      chains[i] := v_begun.chains[i];
    end loop;
  end loop;
exception when sqlstate 'CW001' then
  get stacked diagnostics v_refusal = pg_exception_detail;
  raise exception 'refused' using errcode = 'CW001',
    detail = (v_refusal::jsonb || jsonb_build_object('n', v_calls[(v_refusal->>'n')::integer + 1]))::text;
end $body$;

create or replace function "chainwright".gather_v1(p_now double precision, p_starts jsonb, p_skip integer[], inout live boolean[], inout chains uuid[], out announced boolean[]) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_start record;
  v_holder uuid;
  v_held_until double precision;
  v_job uuid;
  v_was_due double precision;
  v_was_state smallint;
  v_was_named text;
  v_created double precision;
  v_due double precision;
  v_until double precision;
begin
  -- In the order of the keys, so that two batches that share keys wait for each other in one direction only.
  for v_start in
    select i.*, i.key || case i.scope when 2 then 'debounce' else 'throttle' end as held
    from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json, quiet double precision, ends json)
    where i.scope > 1 and i.call <> all(p_skip)
    order by i.key, i.scope, i.n
  loop
    v_holder := null;
    v_held_until := null;
    loop
      -- Waits for an uncommitted transaction that took the key. If it rolls back, this start gets the key.
      insert into "chainwright".deduplication (key, chain_id, scope, until)
      values (v_start.held, v_start.id, v_start.scope, p_now + v_start."window")
      on conflict (key) do nothing;
      exit when found;
      select d.chain_id, d.until into v_holder, v_held_until from "chainwright".deduplication d where d.key = v_start.held for update;
      exit when found;
    end loop;
    if v_held_until <= p_now then
      v_holder := null;
    end if;
    v_job := null;
    if v_holder is not null then
      select o.job_id, o.due_at, o.state, o.type_name, j.created_at into v_job, v_was_due, v_was_state, v_was_named, v_created
      from "chainwright".open_job o join "chainwright".job j on j.id = any(array[o.job_id])
      where o.job_id = v_holder and o.fence = 0 and o.state <> 2 and (v_start.scope = 2 or o.due_at > j.created_at)
      for update of o skip locked;
      if v_job is null then
        perform from "chainwright".job f where f.id = v_holder for key share skip locked;
      end if;
    end if;
    if v_job is not null then
      v_due := v_was_due;
      v_until := v_held_until;
      if v_start.scope = 2 then
        v_until := v_created + v_start."window";
        v_due := least(p_now + v_start.quiet, v_until);
        -- A chain that had to be due before now is due already. Claims do not look for jobs that were due long before they began.
        if v_due <= p_now then
          v_due := case when v_start.limits is not null and v_was_state <> 1 then p_now else least(v_was_due, p_now) end;
        end if;
        update "chainwright".deduplication d set until = p_now + v_start."window" where d.key = v_start.held;
      end if;
      perform case when o.lane is not null then "chainwright".leave_lane_v1(o.job_id, o.state, o.lane_holds, o.lane, o.type_name, o.rank, o.position) end from "chainwright".open_job o where o.job_id = v_job and o.state = 3;
      update "chainwright".open_job o set
        due_at = v_due, state = case when v_start.limits is not null or v_due > p_now or v_was_state = 1 then 1 else 0 end, rank = ~v_start.priority,
        type_name = v_start.type, (lane, lane_weight, lane_holds) = (select (v_start.limits::json->>'lane')::uuid, (v_start.limits::json->>'weight')::smallint, (v_start.limits::json->>'holds')::boolean)
      where o.job_id = v_job;
      update "chainwright".job j set
        input = v_start.input, version = case when pg_catalog.strpos(v_start.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(v_start.type, E'\x01#([0-9]+)')::smallint end, pool = case when pg_catalog.strpos(v_start.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(v_start.type, E'\x01[^@]*@(.*)$') end,
        priority = v_start.priority, context = v_start.context, key_until = v_until,
        limits = v_start.limits::text
      where j.id = v_job;
      chains[v_start.n + 1] := v_job;
      announced[v_start.n + 1] := v_due < v_was_due or v_was_named <> v_start.type;
    else
      v_due := case when v_start.scope = 2 then p_now + v_start.quiet when v_holder is not null then v_held_until else p_now end;
      v_until := case when v_start.scope = 2 then p_now else v_due end + v_start."window";
      insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
        created_at, key, key_scope, key_until, tags, input, context, version, pool, limits, on_end)
      values (v_start.id, v_start.id, 1, pg_catalog.split_part(v_start.type, E'\x01', 1), v_start.priority, coalesce(v_start.wait, 0), 0, 0, 0,
        nextval(E'"chainwright".position'), p_now, v_start.key, v_start.scope, v_until, v_start.tags::text, v_start.input, v_start.context,
        case when pg_catalog.strpos(v_start.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(v_start.type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(v_start.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(v_start.type, E'\x01[^@]*@(.*)$') end, v_start.limits::text,
        case when v_start.ends is not null then true end)
      on conflict (id) do nothing;
      if not found then
        raise exception 'refused' using errcode = 'CW001',
          detail = json_build_object('n', v_start.call, 'code', 'duplicate-id', 'id', v_start.id)::text;
      end if;
      insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
        has_blockers, type_name, lane, lane_weight, lane_holds, on_end)
      select j.id, j.id, j.position, v_due, 0, 1, 0, 0, case when v_start.limits is not null or v_due > p_now then 1 else 0 end,
        ~j.priority, false, v_start.type, (v_start.limits::json->>'lane')::uuid, (v_start.limits::json->>'weight')::smallint, (v_start.limits::json->>'holds')::boolean, j.on_end
      from "chainwright".job j where j.id = v_start.id;
      update "chainwright".deduplication d set chain_id = v_start.id, until = v_until where d.key = v_start.held;
      if v_start.tags is not null then
        insert into "chainwright".tag (name, value, chain_id)
        select t.key, t.value, v_start.id from jsonb_each_text(v_start.tags) t;
      end if;
      if v_start.ends is not null then
    insert into "chainwright".compensation (chain_id, step, position, body)
    select i.id, 0, 9223372036854775807, i.ends->>'stopped' from (select v_start.id as id, v_start.ends as ends) i where i.ends->>'stopped' is not null;
    insert into "chainwright".deadline (chain_id, at)
    select i.id, coalesce((i.ends->>'at')::double precision, p_now + (i.ends->>'after')::double precision)
    from (select v_start.id as id, v_start.ends as ends) i where i.ends->>'at' is not null or i.ends->>'after' is not null;
      end if;
      live[v_start.n + 1] := true;
    end if;
  end loop;
end $body$;

create or replace function "chainwright".start_v1(p_alone text, p_now text, p_starts text, p_blockers text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_skip integer[] := '{}';
  v_live boolean[];
  v_chains uuid[];
  v_announced boolean[];
  v_in_turn boolean := false;
  v_refusal json;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  loop
    begin
      if v_in_turn then
        select b.live, b.chains into v_live, v_chains from "chainwright".begin_in_turn_v1(v_now, v_starts, v_blockers_json, v_skip) b;
      else
        select b.live, b.chains into v_live, v_chains from "chainwright".begin_v1(v_now, v_starts, v_skip, null, null) b;
        perform "chainwright".block_v1(v_now, v_starts, v_blockers_json, v_live, v_chains, null);
        -- Whether a start got a chain that failed as it began, which has freed the key.
        select bool_or(f.key_scope = 0 and f.chain_status > 1) into v_in_turn
        from unnest(v_live, v_chains) as i(is_live, chain) join "chainwright".job f on f.id = any(array[i.chain])
        where not i.is_live;
        if v_in_turn then
          raise exception 'one after the other' using errcode = 'CW003';
        end if;
      end if;
      -- Looks at the text only: most calls have none of these.
      if v_starts @? '$[*] ? (@.scope > 1)' then
        select g.live, g.chains, g.announced into v_live, v_chains, v_announced
        from "chainwright".gather_v1(v_now, v_starts, v_skip, v_live, v_chains) g;
      end if;
      exit;
    exception
      when sqlstate 'CW003' then null;
      when sqlstate 'CW001' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select 'refused', (v_refusal->>'n')::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal::text, null::text, null::text, null::text;
    end;
  end loop;
  return query
  select 'start', i.n, case when not v_live[i.n + 1] then j.chain_status::integer end, case when not v_live[i.n + 1] then j.version::integer end, v_announced[i.n + 1]::integer, j.id, null::uuid, (j.created_at)::bigint, (case when v_live[i.n + 1] or v_announced[i.n + 1] is not null then o.due_at - v_now end)::bigint, j.type_name, case when v_live[i.n + 1] then case when o.job_id is null then 'failed' when o.waits and (o.state = 2 or o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.state = 1 and o.due_at > v_now then 'scheduled'
      else 'ready' end end, case when not v_live[i.n + 1] then j.input end, null::text
  from jsonb_to_recordset(v_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json)
  join "chainwright".job j on j.id = any(array[v_chains[i.n + 1]])
  left join "chainwright".open_job o on o.job_id = any(array[case when v_announced[i.n + 1] is null then i.id else j.id end])
  where i.call <> all(v_skip) and (v_live[i.n + 1] or i.parent is null)
  order by i.n;
end $body$;

create or replace function "chainwright".start_waiting_v1(p_alone text, p_now text, p_starts text, p_blockers text, p_signals text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_skip integer[] := '{}';
  v_live boolean[];
  v_chains uuid[];
  v_announced boolean[];
  v_in_turn boolean := false;
  v_ended uuid[];
  v_items json;
  v_refusal json;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  loop
    begin
      perform "chainwright".lock_topics_v1(array(select jsonb_path_query(v_starts, '$[*].waits.topics[*]')#>>'{}'), false, false);
      if p_signals is not null then
        v_ended := array(
          select f.id from "chainwright".job f
          where f.id = any(array(select d.chain_id from "chainwright".deduplication d where d.key = any(array(
          select i.key from jsonb_to_recordset(v_starts) as i(n integer, key text, scope smallint)
          where i.scope < 2 and i.n = any(array(select g.start from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text))))))) and f.chain_status > 0
          order by f.id for no key update);
        delete from "chainwright".deduplication d where d.key = any(array(
          select i.key from jsonb_to_recordset(v_starts) as i(n integer, key text, scope smallint)
          where i.scope < 2 and i.n = any(array(select g.start from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text))))) and d.chain_id = any(v_ended);
      end if;
      if v_in_turn then
        select b.live, b.chains into v_live, v_chains from "chainwright".begin_in_turn_v1(v_now, v_starts, v_blockers_json, v_skip) b;
      else
        select b.live, b.chains into v_live, v_chains from "chainwright".begin_v1(v_now, v_starts, v_skip, null, null) b;
        perform "chainwright".block_v1(v_now, v_starts, v_blockers_json, v_live, v_chains, null);
        -- Whether a start got a chain that failed as it began, which has freed the key.
        select bool_or(f.key_scope = 0 and f.chain_status > 1) into v_in_turn
        from unnest(v_live, v_chains) as i(is_live, chain) join "chainwright".job f on f.id = any(array[i.chain])
        where not i.is_live;
        if v_in_turn then
          raise exception 'one after the other' using errcode = 'CW003';
        end if;
      end if;
      -- Looks at the text only: most calls have none of these.
      if v_starts @? '$[*] ? (@.scope > 1)' then
        select g.live, g.chains, g.announced into v_live, v_chains, v_announced
        from "chainwright".gather_v1(v_now, v_starts, v_skip, v_live, v_chains) g;
      end if;
      if p_signals is not null then
        insert into "chainwright".signal (chain_id, position, type_name, name, payload, signal_id, context, at)
        select v_chains[g.start + 1], row_number() over (partition by g.start order by g.n), g.type, g.name, g.payload, g.id, g.context, v_now
        from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text) where v_live[g.start + 1] order by g.n
        on conflict (chain_id, signal_id) where signal_id is not null do nothing;
        update "chainwright".job f set signals = true
        where f.id = any(array(select v_chains[g.start + 1] from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text) where v_live[g.start + 1]));
      end if;
      perform "chainwright".begin_waits_v1(v_now, v_starts, v_live);
      if p_signals is not null then
        -- Those of new chains, and of calls that are refused, have no chain here.
        select json_agg(json_build_object('n', g.n, 'type', g.type, 'name', g.name, 'payload', g.payload, 'id', g.id, 'context', g.context,
          'chain', case when not v_live[g.start + 1] and g.call <> all(v_skip) then v_chains[g.start + 1] end))
        into v_items from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text);
        return query select * from "chainwright".deliver_v1(v_now, v_items, true);
      end if;
      exit;
    exception
      when sqlstate 'CW003' then null;
      when sqlstate 'CW004' then null;
      when sqlstate 'CW001' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_refusal := coalesce((
          select (v_refusal::jsonb || jsonb_build_object('n', g.call))::json from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text) where g.n = (v_refusal->>'signal')::integer),
          v_refusal);
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select 'refused', (v_refusal->>'n')::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal::text, null::text, null::text, null::text;
    end;
  end loop;
  if p_signals is not null then
    return query
    select 'signalled', g.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, case when r.chain_id is null then 'deduplicated' when r.taken_by is null then 'buffered' else 'taken' end, null::text, null::text, null::text
    from (
      select g.n, g.start, g.id, row_number() over (partition by g.start order by g.n) as position
      from json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text) where v_live[g.start + 1] and g.call <> all(v_skip)) g
    left join "chainwright".signal r on r.chain_id = any(array[v_chains[g.start + 1]]) and r.position = g.position;
  end if;
  return query
  select 'start', i.n, case when not v_live[i.n + 1] then j.chain_status::integer end, case when not v_live[i.n + 1] then j.version::integer end, v_announced[i.n + 1]::integer, j.id, null::uuid, (j.created_at)::bigint, (case when v_live[i.n + 1] or v_announced[i.n + 1] is not null then o.due_at - v_now end)::bigint, j.type_name, case when v_live[i.n + 1] then case when o.job_id is null then 'failed' when o.waits and (o.state = 2 or o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.state = 1 and o.due_at > v_now then 'scheduled'
      else 'ready' end end, case when not v_live[i.n + 1] then j.input end, null::text
  from jsonb_to_recordset(v_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json)
  join "chainwright".job j on j.id = any(array[v_chains[i.n + 1]])
  left join "chainwright".open_job o on o.job_id = any(array[case when v_announced[i.n + 1] is null then i.id else j.id end])
  where i.call <> all(v_skip) and (v_live[i.n + 1] or i.parent is null)
  order by i.n;
end $body$;

create or replace function "chainwright".open_step_v1(p_chain uuid, p_type text, out job_id uuid, out refusal text) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_status smallint;
  v_type text;
begin
  -- The chain may continue between the read and the lock: then read again.
  for i in 1 .. 100 loop
    select j.chain_status into v_status from "chainwright".job j where j.id = p_chain and j.chain_status is not null;
    if not found then
      refusal := json_build_object('code', 'chain-not-found', 'id', p_chain);
      return;
    elsif v_status <> 0 then
      refusal := json_build_object('code', 'chain-not-active', 'id', p_chain,
        'actual', (array['completed', 'failed', 'cancelled'])[v_status]);
      return;
    end if;
    select coalesce(
      (select j.id from "chainwright".job j where j.chain_id = p_chain and j.step > 1 order by j.step desc limit 1), p_chain)
    into job_id;
    select pg_catalog.split_part(o.type_name, E'\x01', 1) into v_type from "chainwright".open_job o where o.job_id = open_step_v1.job_id for update;
    if found then
      if p_type is not null and v_type <> p_type then
        refusal := json_build_object('code', 'job-type-mismatch', 'id', p_chain, 'actual', v_type);
      end if;
      return;
    end if;
  end loop;
  raise exception 'chain % has no open job', p_chain using errcode = 'data_corrupted';
end $body$;

create or replace function "chainwright".try_settle_ends_v1(p_now double precision, p_ended json, p_total integer, p_starts jsonb, p_blockers jsonb, p_skip integer[]) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_type text[];
  v_status smallint[];
  v_next uuid[];
  v_output text[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_started double precision[];
  v_by text[];
  v_step integer[];
  v_marked uuid[];
  v_until double precision;
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];
  v_own uuid[];
  v_own_step integer[];
  v_first record;
  v_calls integer[];
  v_blockers uuid[];
  v_gates integer;
  v_idle integer[];
  v_live boolean[];
  v_chains uuid[];
begin
  with outcomes as (
    select * from json_to_recordset(p_ended) as i(n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text, compensation text) where i.n <> all(p_skip) order by i.id, i.n),
  gone as (
    delete from "chainwright".open_job o using outcomes i
    where o.job_id = any(array[i.id]) and (i.worker is null or (o.leased_by = i.worker and o.fence = i.fence))
    returning o.chain_id, o.step, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, o.leased_until,
      case when i.compensation is null then o.on_end else true end as on_end,
      case when i.worker is not null then o.started_at end as started_at, i.n, i.id, i.worker, i.status, i.output, i.errors, i.next,
      i.type as next_type, i.input as next_input, i.priority as next_priority, i.at, i.after, i.wait, i.context as next_context, case when o.lane is not null then "chainwright".leave_lane_v1(o.job_id, o.state, o.lane_holds, o.lane, o.type_name, o.rank, o.position) end, case when o.waits then "chainwright".leave_topics_v1(o.job_id) end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end),
  nexts as materialized (
    select g.*, nextval(E'"chainwright".position') as position, greatest(p_now, coalesce(g.at, p_now + g.after, p_now)) as due_at
    from (select * from gone where next_type is not null order by n) g),
  next_jobs as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, attempt, position, created_at,
      input, context, version, pool)
    select g.next, g.chain_id, g.step + 1, pg_catalog.split_part(g.next_type, E'\x01', 1), g.next_priority, coalesce(g.wait, 0), 0, 0, g.position, p_now,
      g.next_input, g.next_context, case when pg_catalog.strpos(g.next_type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(g.next_type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(g.next_type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(g.next_type, E'\x01[^@]*@(.*)$') end
    from nexts g),
  next_open_jobs as (
    insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, on_end)
    select g.next, g.chain_id, g.position, g.due_at, 0, g.step + 1, 0, 0, case when g.due_at > p_now then 1 else 0 end,
      ~g.next_priority, false, g.next_type, g.on_end
    from nexts g)
  select array_agg(g.n), array_agg(g.id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.status),
    array_agg(g.next), array_agg(g.output), array_agg(g.errors), array_agg(g.attempt), array_agg(g.fence),
    array_agg(g.started_at), array_agg(g.worker), array_agg(g.step), array_agg(g.id) filter (where g.on_end),
    max(g.leased_until) filter (where g.worker is null)
  into v_n, v_job, v_chain, v_type, v_status, v_next, v_output, v_errors, v_attempt, v_fence, v_started, v_by, v_step, v_marked, v_until
  from gone g;
  if v_n is not null then
    if p_starts is not null then
      for i in 1 .. cardinality(v_n) loop
        v_own[v_n[i] + 1] := v_chain[i];
        v_own_step[v_n[i] + 1] := v_step[i];
      end loop;
      -- Lock the first rows of the outcomes' own chains and of the blockers together, in the order of their ids: see end_v1. Those
      -- of blockers are shared: see block_v1.
      v_calls := array(select i.call from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json));
      v_blockers := array(
        select distinct l.chain
        from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text) join jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) on i.n = l.job
        where l.chain is not null and i.call = any(v_n));
  v_gates := coalesce(nullif(current_setting('chainwright.gates', true), ''), '0')::integer + cardinality(v_blockers);
  if v_gates <= 100 then
    perform set_config('chainwright.gates', v_gates::text, true);
    perform pg_advisory_xact_lock_shared(uuid_hash_extended(c.id, 7236541)) from (select id from unnest(v_blockers) as u(id) order by id) c;
  end if;
      for v_first in
        select c.id, bool_or(c.own) as own
        from (
          -- A continuation that is written like the others below needs no lock of its chain.
          select e.chain_id as id, true as own from unnest(v_n, v_job, v_chain, v_next) as e(n, job_id, chain_id, next_id)
          where e.job_id = e.chain_id or e.next_id is null or e.n = any(v_calls)
          union all select unnest(v_blockers), false) c
        group by c.id order by c.id
      loop
        if v_first.own then
          perform from "chainwright".job j where j.id = v_first.id for no key update;
        else
          perform from "chainwright".job j where j.id = v_first.id for share;
        end if;
      end loop;
    elsif cardinality(v_n) = 1 and v_next[1] is null then
      perform pg_advisory_xact_lock(uuid_hash_extended(v_chain[1], 7236541));
    end if;
    if v_marked is not null then
      insert into "chainwright".compensation (chain_id, step, position, body)
      select e.chain_id, e.step, 9223372036854775807, i.compensation
      from unnest(v_n, v_job, v_chain, v_step) as e(n, job_id, chain_id, step) join json_to_recordset(p_ended) as i(n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text, compensation text) on i.n = e.n
      where e.job_id = any(v_marked) and i.compensation is not null
      on conflict (chain_id, step, position) do update set body = excluded.body;
    end if;
    select c.completed, c.completed_n, c.broken, c.broken_n into v_completed, v_completed_n, v_broken, v_broken_n
    from "chainwright".end_v1(p_now, v_n, v_job, v_chain, v_type, v_status, v_next, v_output, v_errors, v_attempt, v_fence,
      v_started, v_by, null, null) c;
    return query
    select 'settled', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, (p_now)::bigint, null::bigint, e.type_name, null::text, null::text, null::text
    from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name);
    if v_marked is not null then
      return query
      select f.* from (
        select array_agg(i.n) as n, array_agg(i.job_id) as jobs from unnest(v_n, v_job) as i(n, job_id) where i.job_id = any(v_marked)) i,
        lateral "chainwright".follow_ends_v1(p_now, i.n, i.jobs, array[v_until]) f;
    end if;
    if v_completed is not null or v_broken is not null then
      return query select * from "chainwright".release_v1(p_now, v_completed, v_completed_n, v_broken, v_broken_n);
    end if;
    if p_starts is not null then
      v_idle := array(select distinct i.call from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) where i.call <> all(v_n));
      select b.live, b.chains into v_live, v_chains from "chainwright".begin_v1(p_now, p_starts, v_idle, v_own, v_own_step) b;
      if v_marked is not null then
        update "chainwright".open_job o set on_end = true
        where o.job_id = any(array(select e.next_id from unnest(v_job, v_next) as e(job_id, next_id) where e.job_id = any(v_marked)));
      end if;
      return query select * from "chainwright".block_v1(p_now, p_starts, p_blockers, v_live, v_chains, v_own);
      if p_starts @? '$[*].waits' then
        perform "chainwright".begin_waits_v1(p_now, p_starts, v_live);
      end if;
      return query
      select 'started', i.call, null::integer, null::integer, null::integer, j.id, j.chain_id, (o.due_at - p_now)::bigint, null::bigint, j.type_name, case when o.job_id is null then 'failed' when o.waits and (o.state = 2 or o.due_at > p_now) then 'waiting' when o.state = 2 then 'blocked' when o.state = 1 and o.due_at > p_now then 'scheduled'
      else 'ready' end, o.type_name::text, null::text
      from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json)
      join "chainwright".job j on j.id = any(array[i.id])
      left join "chainwright".open_job o on o.job_id = any(array[j.id])
      where v_live[i.n + 1]
      order by i.n;
    end if;
  end if;
  if coalesce(cardinality(v_n), 0) < p_total - cardinality(p_skip) then
    return query
    select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, l.reason, null::text, null::text, null::text
    from json_to_recordset(p_ended) as i(n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text, compensation text), "chainwright".lost_reason_v1(i.id) as l(reason)
    where i.n <> all(coalesce(v_n, '{}')) and i.n <> all(p_skip);
    return query
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from json_to_recordset(p_ended) as i(n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text, compensation text) where i.n <> all(coalesce(v_n, '{}')) and i.n <> all(p_skip)) i,
      lateral "chainwright".begin_followers_v1(p_now, i.n, i.jobs, i.fences) f;
  end if;
end $body$;

create or replace function "chainwright".settle_ends_v1(p_now double precision, p_ended json, p_total integer, p_starts jsonb, p_blockers jsonb) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_skip integer[] := '{}';
  v_refusal json;
  v_taken record;
begin
  loop
    begin
      return query select * from "chainwright".try_settle_ends_v1(p_now, p_ended, p_total, p_starts, p_blockers, v_skip);
      exit;
    exception
      when sqlstate 'CW001' then
        get stacked diagnostics v_refusal = pg_exception_detail;
      when unique_violation then
        select i.n, i.next into v_taken
        from (
          select i.*, row_number() over (partition by i.next order by i.n) as nth
          from json_to_recordset(p_ended) as i(n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text, compensation text) where i.n <> all(v_skip) and i.type is not null) i
        where i.nth > 1 or exists (select from "chainwright".job j where j.id = any(array[i.next]))
        order by i.n limit 1;
        if not found then
          raise;
        end if;
        v_refusal := json_build_object('n', v_taken.n, 'code', 'duplicate-id', 'id', v_taken.next);
    end;
    v_skip := v_skip || (v_refusal->>'n')::integer;
    return query select 'refused', (v_refusal->>'n')::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal::text, null::text, null::text, null::text;
  end loop;
end $body$;

create or replace function "chainwright".lock_free_rows_v1(p_fenced json, p_deferred json, p_starts jsonb, p_blockers jsonb) returns integer[]
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_n integer[];
  v_id uuid[];
  v_ends boolean[];
  v_holds boolean[];
  v_writes boolean[];
  v_free uuid[];
  v_rows uuid[];
  v_shared uuid[];
  v_keys text[];
  v_busy integer[];
begin
  select array_agg(i.n), array_agg(i.id), array_agg(i.ends), array_agg(i.holds), array_agg(i.writes) into v_n, v_id, v_ends, v_holds, v_writes
  from (
    select i.n, i.id, i.next is null as ends, i.next is null or i.type is null as holds, true as writes
    from json_to_recordset(p_fenced) as i(n integer, id uuid, next uuid, type text)
    union all
    select i.n, i.id, false, false, i.errors is not null from json_to_recordset(p_deferred) as i(n integer, id uuid, errors text)) i;
  v_free := array(select o.job_id from "chainwright".open_job o where o.job_id = any(v_id) order by o.job_id for update skip locked);
  v_busy := array(
    select i.n from unnest(v_n, v_id) as i(n, id)
    where i.id <> all(v_free) and (select true from "chainwright".open_job o where o.job_id = i.id));
  -- Of the outcomes whose open rows are free: the job's own row, and its chain's first row if the chain ends with it or its next job is written like a start.
  v_rows := array(
    select distinct r.id
    from unnest(v_id, v_holds, v_writes) as i(id, holds, writes)
    join "chainwright".open_job o on o.job_id = any(array[i.id]),
    lateral (values (o.job_id, i.writes), (o.chain_id, i.holds)) as r(id, is_wanted)
    where r.is_wanted and i.id = any(v_free));
  v_free := array(select j.id from "chainwright".job j where j.id = any(v_rows) order by j.id for no key update skip locked);
  v_busy := v_busy || array(
    select distinct i.n
    from unnest(v_n, v_id, v_holds, v_writes) as i(n, id, holds, writes)
    join "chainwright".open_job o on o.job_id = any(array[i.id]),
    lateral (values (o.job_id, i.writes), (o.chain_id, i.holds)) as r(id, is_wanted)
    where r.is_wanted and r.id <> all(v_free) and i.n <> all(v_busy));
  v_keys := array(
    select d.key from "chainwright".deduplication d
    where d.key = any(array(select f.key from "chainwright".job f where f.id = any(v_free) and f.key_scope = 0))
    order by d.key for update skip locked);
  v_busy := v_busy || array(
    select i.n
    from unnest(v_n, v_id, v_ends) as i(n, id, ends)
    join "chainwright".open_job o on o.job_id = any(array[i.id])
    join "chainwright".job f on f.id = any(array[o.chain_id])
    where i.ends and f.key_scope = 0 and f.key <> all(v_keys) and i.n <> all(v_busy)
      and (select true from "chainwright".deduplication d where d.key = f.key));
  if p_blockers is not null then
    v_rows := array(select distinct l.chain from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text) where l.chain is not null);
    v_shared := array(select j.id from "chainwright".job j where j.id = any(v_rows) order by j.id for share skip locked);
    v_busy := v_busy || array(
      select distinct i.call
      from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text) join jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json) on i.n = l.job
      where l.chain <> all(v_shared) and i.call <> all(v_busy)
        and (select true from "chainwright".job j where j.id = l.chain));
  end if;
  if p_starts @? '$[*].waits.topics' then
    v_busy := v_busy || array(
      select i.call from jsonb_to_recordset(p_starts) as i(call integer, waits jsonb)
      where i.waits->'topics' is not null and i.call <> all(v_busy)
        and not "chainwright".lock_topics_v1(array(select jsonb_array_elements_text(i.waits->'topics')), false, true));
  end if;
  return v_busy;
end $body$;

create or replace function "chainwright".settle_v1(p_alone text, p_now text, p_fenced text, p_total text, p_deferred text, p_steps text,
  p_starts text, p_blockers text, p_free text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_busy integer[];
  v_step record;
  v_found record;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  if p_free is not null then
    v_busy := "chainwright".lock_free_rows_v1(p_fenced::json, p_deferred::json, v_starts, v_blockers_json);
    return query select 'busy', b.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from unnest(v_busy) as b(n);
    p_fenced := (
      select json_agg(e.outcome)::text from json_array_elements(p_fenced::json) as e(outcome)
      where (e.outcome->>'n')::integer <> all(v_busy));
    p_deferred := (
      select json_agg(e.outcome)::text from json_array_elements(p_deferred::json) as e(outcome)
      where (e.outcome->>'n')::integer <> all(v_busy));
    p_total := json_array_length(p_fenced::json)::text;
  end if;
  if v_starts is not null and p_free is null then
    perform "chainwright".lock_topics_v1(array(select jsonb_path_query(v_starts, '$[*].waits.topics[*]')#>>'{}'), false, false);
  end if;
  if p_fenced is not null then
    return query select * from "chainwright".settle_ends_v1(v_now, p_fenced::json, p_total::integer, v_starts, v_blockers_json);
  end if;
  if p_deferred is not null then
    return query
    with outcomes as (
      select * from json_to_recordset(p_deferred::json)
        as i(n integer, id uuid, worker text, fence integer, at double precision, after double precision, uncounted integer,
          errors text)
      order by i.id, i.n),
    moments as (
      select i.*, greatest(v_now, coalesce(i.at, v_now + i.after, v_now)) as due_at from outcomes i),
    waiting as (
      update "chainwright".open_job o set
        leased_by = null, leased_until = 0, started_at = null, attempt = o.attempt - i.uncounted, due_at = i.due_at,
        state = case when i.due_at > v_now or o.lane is not null then 1 else 0 end
      from moments i where o.job_id = any(array[i.id]) and o.leased_by = i.worker and o.fence = i.fence
      returning i.n, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, i.errors, case when o.lane is not null and o.lane_holds is not true then "chainwright".give_back_v1(array[o.job_id]) end),
    noted as (
      update "chainwright".job j set errors = w.errors from waiting w where j.id = any(array[w.job_id]) and w.errors is not null)
    select 'settled', w.n, null::integer, null::integer, null::integer, w.job_id, w.chain_id, (v_now)::bigint, null::bigint, w.type_name, null::text, null::text, null::text
    from waiting w
    union all
    select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, "chainwright".lost_reason_v1(i.id), null::text, null::text, null::text
    from outcomes i where i.n not in (select w.n from waiting w)
    union all
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from outcomes i where i.n not in (select w.n from waiting w) having count(*) > 0) i,
      lateral "chainwright".begin_followers_v1(v_now, i.n, i.jobs, i.fences) f;
  end if;
  if p_steps is not null then
    for v_step in select * from json_array_elements(p_steps::json) as e(outcome)
    loop
      select f.job_id, f.refusal into v_found from "chainwright".open_step_v1((v_step.outcome->>'chain')::uuid, v_step.outcome->>'step') f;
      if v_found.refusal is not null then
        return query select 'refused', (v_step.outcome->>'n')::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_found.refusal, null::text, null::text, null::text;
      else
        return query select * from "chainwright".settle_ends_v1(v_now,
          json_build_array((v_step.outcome::jsonb || jsonb_build_object('id', v_found.job_id))::json), 1, v_starts, v_blockers_json);
      end if;
    end loop;
  end if;
end $body$;

create or replace function "chainwright".settle_one_v1(p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_status text, p_output text, p_errors text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_job uuid := p_job::uuid;
  v_open record;
  v_chain record;
  v_type text;
  v_reason text;
  v_status smallint := p_status::smallint;
  v_awaited boolean;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  delete from "chainwright".open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, o.step, o.attempt, o.fence, o.started_at, o.on_end, pg_advisory_xact_lock(uuid_hash_extended(o.chain_id, 7236541)), o.lane, o.noted into v_open;
  if not found then
    v_reason := "chainwright".lost_reason_v1(v_job);
    return query select 'lost', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_reason, null::text, null::text, null::text;
    if v_reason <> 'lease-lost' then
      return query select * from "chainwright".begin_followers_v1(v_now, array[0], array[v_job], array[p_fence::integer]);
    end if;
    return;
  end if;
  if v_open.lane is not null or v_open.noted then
    perform case when o.lane is not null then "chainwright".give_back_v1(array[o.job_id]) end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end from (select v_open.lane as lane, v_open.noted as noted, v_job as job_id) o;
  end if;
  if v_open.chain_id = v_job then
    update "chainwright".job j set
      status = v_status, output = p_output, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,
      chain_status = v_status, ended_job_id = v_job
    where j.id = v_job
    returning j.key, j.key_scope, j.awaited or j.signals is not null as awaited, j.type_name into v_chain;
  else
    update "chainwright".job j set
      status = v_status, output = p_output, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker
    where j.id = v_job
    returning j.type_name into v_type;
    update "chainwright".job j set chain_status = v_status, ended_job_id = v_job where j.id = v_open.chain_id
    returning j.key, j.key_scope, j.awaited or j.signals is not null as awaited, v_type as type_name into v_chain;
  end if;
  -- The chain's row is locked by now, so all jobs that wait for it are visible.
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_chain.type_name, v_status, 1)
  returning current_setting('transaction_isolation') <> 'read committed' or v_chain.awaited or exists (select from "chainwright".blocker b where b.chain_id = v_open.chain_id) into v_awaited;
  kind := 'settled';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_open.chain_id;
  text_1 := v_chain.type_name;
  ms_1 := (v_now)::bigint;
  return next;
  if v_status > 1 or v_chain.key_scope = 0 or v_open.on_end or v_awaited then
    if v_status > 1 then
      perform "chainwright".note_stopped_v1(v_now, array[v_job], array[v_open.chain_id], array[v_status]);
    end if;
    if v_chain.key_scope = 0 then
      delete from "chainwright".deduplication d where d.key = v_chain.key and d.chain_id = v_open.chain_id;
    end if;
    if v_open.on_end then
      return query select * from "chainwright".follow_ends_v1(v_now, array[0], array[v_job], null);
    end if;
    if v_awaited then
      return query select * from "chainwright".release_v1(v_now,
        case when v_status = 1 then array[v_open.chain_id] end, array[0],
        case when v_status = 2 then array[v_open.chain_id] end, array[0]);
    end if;
  end if;
end $body$;

create or replace function "chainwright".settle_one_versioned_v1(p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_status text, p_output text, p_errors text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_job uuid := p_job::uuid;
  v_open record;
  v_chain record;
  v_type text;
  v_reason text;
  v_status smallint := p_status::smallint;
  v_awaited boolean;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  delete from "chainwright".open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, o.step, o.attempt, o.fence, o.started_at, o.on_end, pg_advisory_xact_lock(uuid_hash_extended(o.chain_id, 7236541)), o.lane, o.noted into v_open;
  if not found then
    v_reason := "chainwright".lost_reason_v1(v_job);
    return query select 'lost', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_reason, null::text, null::text, null::text;
    if v_reason <> 'lease-lost' then
      return query select * from "chainwright".begin_followers_v1(v_now, array[0], array[v_job], array[p_fence::integer]);
    end if;
    return;
  end if;
  if v_open.lane is not null or v_open.noted then
    perform case when o.lane is not null then "chainwright".give_back_v1(array[o.job_id]) end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end from (select v_open.lane as lane, v_open.noted as noted, v_job as job_id) o;
  end if;
  if v_open.chain_id = v_job then
    update "chainwright".job j set
      status = v_status, output = case when starts_with(p_output, E'\x01') then substr(p_output, 3 + length(split_part(p_output, E'\x01', 2))) else p_output end, output_version = case when starts_with(p_output, E'\x01') then split_part(p_output, E'\x01', 2)::smallint end, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,
      chain_status = v_status, ended_job_id = v_job
    where j.id = v_job
    returning j.key, j.key_scope, j.awaited or j.signals is not null as awaited, j.type_name into v_chain;
  else
    update "chainwright".job j set
      status = v_status, output = case when starts_with(p_output, E'\x01') then substr(p_output, 3 + length(split_part(p_output, E'\x01', 2))) else p_output end, output_version = case when starts_with(p_output, E'\x01') then split_part(p_output, E'\x01', 2)::smallint end, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker
    where j.id = v_job
    returning j.type_name into v_type;
    update "chainwright".job j set chain_status = v_status, ended_job_id = v_job where j.id = v_open.chain_id
    returning j.key, j.key_scope, j.awaited or j.signals is not null as awaited, v_type as type_name into v_chain;
  end if;
  -- The chain's row is locked by now, so all jobs that wait for it are visible.
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_chain.type_name, v_status, 1)
  returning current_setting('transaction_isolation') <> 'read committed' or v_chain.awaited or exists (select from "chainwright".blocker b where b.chain_id = v_open.chain_id) into v_awaited;
  kind := 'settled';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_open.chain_id;
  text_1 := v_chain.type_name;
  ms_1 := (v_now)::bigint;
  return next;
  if v_status > 1 or v_chain.key_scope = 0 or v_open.on_end or v_awaited then
    if v_status > 1 then
      perform "chainwright".note_stopped_v1(v_now, array[v_job], array[v_open.chain_id], array[v_status]);
    end if;
    if v_chain.key_scope = 0 then
      delete from "chainwright".deduplication d where d.key = v_chain.key and d.chain_id = v_open.chain_id;
    end if;
    if v_open.on_end then
      return query select * from "chainwright".follow_ends_v1(v_now, array[0], array[v_job], null);
    end if;
    if v_awaited then
      return query select * from "chainwright".release_v1(v_now,
        case when v_status = 1 then array[v_open.chain_id] end, array[0],
        case when v_status = 2 then array[v_open.chain_id] end, array[0]);
    end if;
  end if;
end $body$;

create or replace function "chainwright".settle_many_v1(p_alone text, p_now text, p_worker text, p_total text, p_numbers text, p_jobs text, p_fences text, p_texts text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_sees_the_past boolean := current_setting('transaction_isolation') <> 'read committed';
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_name text[];
  v_status smallint[];
  v_limited uuid[];
  v_marked uuid[];
  v_keys text[];
  v_holders uuid[];
  v_awaited uuid[];
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  with outcomes as (
    select i.*, case when i.errors is null then 1 else 2 end::smallint as status
    from json_to_record(p_texts::json) as r(output text[], errors text[]),
    lateral unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[], r.output, r.errors)
      as i(n, id, fence, output, errors) order by i.id, i.n),
  gone as (
    delete from "chainwright".open_job o using outcomes i
    where o.job_id = any(array[i.id]) and o.leased_by = p_worker and o.fence = i.fence
    returning i.n, o.job_id, o.chain_id, o.type_name as claim_name, o.attempt, o.fence, o.started_at, i.status, i.output, i.errors, o.lane, o.on_end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end),
  chain_rows as (
    update "chainwright".job j set
      status = case when g.job_id = j.id then g.status else j.status end,
      output = case when g.job_id = j.id then g.output else j.output end,
      errors = case when g.job_id = j.id then coalesce(g.errors, j.errors) else j.errors end,
      attempt = case when g.job_id = j.id then g.attempt else j.attempt end,
      fence = case when g.job_id = j.id then g.fence else j.fence end,
      started_at = case when g.job_id = j.id then g.started_at else j.started_at end,
      ended_at = case when g.job_id = j.id then v_now else j.ended_at end,
      ended_by = case when g.job_id = j.id then p_worker else j.ended_by end,
      chain_status = g.status,
      ended_job_id = g.job_id
    from (select * from gone order by chain_id) g
    where j.id = any(array[g.chain_id])
    returning j.id, j.key, j.key_scope, j.awaited or j.signals is not null as awaited),
  step_rows as (
    update "chainwright".job j set
      status = g.status, output = g.output, errors = coalesce(g.errors, j.errors), attempt = g.attempt, fence = g.fence,
      started_at = g.started_at, ended_at = v_now, ended_by = p_worker
    from (select * from gone where job_id <> chain_id order by job_id) g
    where j.id = any(array[g.job_id])),
  counted as (
    insert into "chainwright".tally_change (n, type_name, status, count)
    select nextval(E'"chainwright".position'), pg_catalog.split_part(e.claim_name, E'\x01', 1), e.status, e.count
    from (select claim_name, status, count(*) as count from gone group by claim_name, status) e),
  ended as (
    select array_agg(n) as n, array_agg(job_id) as jobs, array_agg(chain_id) as chains, array_agg(claim_name) as names,
      array_agg(status) as statuses, array_agg(job_id) filter (where lane is not null) as limited,
      array_agg(job_id) filter (where on_end) as marked
    from gone),
  noted as (
    select array_agg(key) filter (where key_scope = 0) as keys, array_agg(id) filter (where key_scope = 0) as holders,
      array_agg(id) filter (where awaited) as awaited
    from chain_rows)
  select e.n, e.jobs, e.chains, e.names, e.statuses, e.limited, e.marked, c.keys, c.holders, c.awaited
  into v_n, v_job, v_chain, v_name, v_status, v_limited, v_marked, v_keys, v_holders, v_awaited
  from ended e, noted c;
  if v_limited is not null then
    perform "chainwright".give_back_v1(v_limited);
  end if;
  if v_n is not null then
    return query
    select 'ended', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_now)::bigint, null::bigint, array_to_json(array_agg(e.n))::text, case when bool_or(e.chain_id <> e.job_id) then array_to_json(array_agg(e.chain_id))::text end, e.claim_name, null::text
    from unnest(v_n, v_job, v_chain, v_name) as e(n, job_id, chain_id, claim_name) group by e.claim_name;
    if 2 = any(v_status) then
      perform "chainwright".note_stopped_v1(v_now, v_job, v_chain, v_status);
    end if;
    if v_keys is not null then
      delete from "chainwright".deduplication d using unnest(v_keys, v_holders) as h(key, chain_id)
      where d.key = any(array[h.key]) and d.chain_id = h.chain_id;
    end if;
    if v_marked is not null then
      return query
      select f.* from (
        select array_agg(i.n) as n, array_agg(i.job_id) as jobs from unnest(v_n, v_job) as i(n, job_id) where i.job_id = any(v_marked)) i,
        lateral "chainwright".follow_ends_v1(v_now, i.n, i.jobs, null) f;
    end if;
    -- A statement of its own, because jobs that wait for these chains are all visible only after the chains' rows are locked.
    select
      array_agg(e.id) filter (where e.status = 1), array_agg(e.n) filter (where e.status = 1),
      array_agg(e.id) filter (where e.status = 2), array_agg(e.n) filter (where e.status = 2)
    into v_completed, v_completed_n, v_broken, v_broken_n
    from unnest(v_n, v_chain, v_status) as e(n, id, status)
    where v_sees_the_past or e.id = any(v_awaited) or (select true from "chainwright".blocker b where b.chain_id = e.id limit 1);
    if v_completed is not null or v_broken is not null then
      return query select * from "chainwright".release_v1(v_now, v_completed, v_completed_n, v_broken, v_broken_n);
    end if;
  end if;
  if coalesce(cardinality(v_n), 0) < p_total::integer then
    return query
    select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, l.reason, null::text, null::text, null::text
    from json_to_record(p_texts::json) as r(output text[], errors text[]),
    lateral unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[], r.output, r.errors)
      as i(n, id, fence, output, errors), "chainwright".lost_reason_v1(i.id) as l(reason)
    where i.n <> all(coalesce(v_n, '{}'));
    return query
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[]) as i(n, id, fence)
      where i.n <> all(coalesce(v_n, '{}'))) i,
      lateral "chainwright".begin_followers_v1(v_now, i.n, i.jobs, i.fences) f;
  end if;
end $body$;

create or replace function "chainwright".settle_many_versioned_v1(p_alone text, p_now text, p_worker text, p_total text, p_numbers text, p_jobs text, p_fences text, p_texts text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_sees_the_past boolean := current_setting('transaction_isolation') <> 'read committed';
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_name text[];
  v_status smallint[];
  v_limited uuid[];
  v_marked uuid[];
  v_keys text[];
  v_holders uuid[];
  v_awaited uuid[];
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  with outcomes as (
    select i.*, case when i.errors is null then 1 else 2 end::smallint as status
    from json_to_record(p_texts::json) as r(output text[], errors text[]),
    lateral unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[], r.output, r.errors)
      as i(n, id, fence, output, errors) order by i.id, i.n),
  gone as (
    delete from "chainwright".open_job o using outcomes i
    where o.job_id = any(array[i.id]) and o.leased_by = p_worker and o.fence = i.fence
    returning i.n, o.job_id, o.chain_id, o.type_name as claim_name, o.attempt, o.fence, o.started_at, i.status, i.output, i.errors, o.lane, o.on_end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end),
  chain_rows as (
    update "chainwright".job j set
      status = case when g.job_id = j.id then g.status else j.status end,
      output = case when g.job_id = j.id then case when starts_with(g.output, E'\x01') then substr(g.output, 3 + length(split_part(g.output, E'\x01', 2))) else g.output end else j.output end,
      output_version = case when g.job_id = j.id then case when starts_with(g.output, E'\x01') then split_part(g.output, E'\x01', 2)::smallint end else j.output_version end,
      errors = case when g.job_id = j.id then coalesce(g.errors, j.errors) else j.errors end,
      attempt = case when g.job_id = j.id then g.attempt else j.attempt end,
      fence = case when g.job_id = j.id then g.fence else j.fence end,
      started_at = case when g.job_id = j.id then g.started_at else j.started_at end,
      ended_at = case when g.job_id = j.id then v_now else j.ended_at end,
      ended_by = case when g.job_id = j.id then p_worker else j.ended_by end,
      chain_status = g.status,
      ended_job_id = g.job_id
    from (select * from gone order by chain_id) g
    where j.id = any(array[g.chain_id])
    returning j.id, j.key, j.key_scope, j.awaited or j.signals is not null as awaited),
  step_rows as (
    update "chainwright".job j set
      status = g.status, output = case when starts_with(g.output, E'\x01') then substr(g.output, 3 + length(split_part(g.output, E'\x01', 2))) else g.output end, output_version = case when starts_with(g.output, E'\x01') then split_part(g.output, E'\x01', 2)::smallint end, errors = coalesce(g.errors, j.errors), attempt = g.attempt, fence = g.fence,
      started_at = g.started_at, ended_at = v_now, ended_by = p_worker
    from (select * from gone where job_id <> chain_id order by job_id) g
    where j.id = any(array[g.job_id])),
  counted as (
    insert into "chainwright".tally_change (n, type_name, status, count)
    select nextval(E'"chainwright".position'), pg_catalog.split_part(e.claim_name, E'\x01', 1), e.status, e.count
    from (select claim_name, status, count(*) as count from gone group by claim_name, status) e),
  ended as (
    select array_agg(n) as n, array_agg(job_id) as jobs, array_agg(chain_id) as chains, array_agg(claim_name) as names,
      array_agg(status) as statuses, array_agg(job_id) filter (where lane is not null) as limited,
      array_agg(job_id) filter (where on_end) as marked
    from gone),
  noted as (
    select array_agg(key) filter (where key_scope = 0) as keys, array_agg(id) filter (where key_scope = 0) as holders,
      array_agg(id) filter (where awaited) as awaited
    from chain_rows)
  select e.n, e.jobs, e.chains, e.names, e.statuses, e.limited, e.marked, c.keys, c.holders, c.awaited
  into v_n, v_job, v_chain, v_name, v_status, v_limited, v_marked, v_keys, v_holders, v_awaited
  from ended e, noted c;
  if v_limited is not null then
    perform "chainwright".give_back_v1(v_limited);
  end if;
  if v_n is not null then
    return query
    select 'ended', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_now)::bigint, null::bigint, array_to_json(array_agg(e.n))::text, case when bool_or(e.chain_id <> e.job_id) then array_to_json(array_agg(e.chain_id))::text end, e.claim_name, null::text
    from unnest(v_n, v_job, v_chain, v_name) as e(n, job_id, chain_id, claim_name) group by e.claim_name;
    if 2 = any(v_status) then
      perform "chainwright".note_stopped_v1(v_now, v_job, v_chain, v_status);
    end if;
    if v_keys is not null then
      delete from "chainwright".deduplication d using unnest(v_keys, v_holders) as h(key, chain_id)
      where d.key = any(array[h.key]) and d.chain_id = h.chain_id;
    end if;
    if v_marked is not null then
      return query
      select f.* from (
        select array_agg(i.n) as n, array_agg(i.job_id) as jobs from unnest(v_n, v_job) as i(n, job_id) where i.job_id = any(v_marked)) i,
        lateral "chainwright".follow_ends_v1(v_now, i.n, i.jobs, null) f;
    end if;
    -- A statement of its own, because jobs that wait for these chains are all visible only after the chains' rows are locked.
    select
      array_agg(e.id) filter (where e.status = 1), array_agg(e.n) filter (where e.status = 1),
      array_agg(e.id) filter (where e.status = 2), array_agg(e.n) filter (where e.status = 2)
    into v_completed, v_completed_n, v_broken, v_broken_n
    from unnest(v_n, v_chain, v_status) as e(n, id, status)
    where v_sees_the_past or e.id = any(v_awaited) or (select true from "chainwright".blocker b where b.chain_id = e.id limit 1);
    if v_completed is not null or v_broken is not null then
      return query select * from "chainwright".release_v1(v_now, v_completed, v_completed_n, v_broken, v_broken_n);
    end if;
  end if;
  if coalesce(cardinality(v_n), 0) < p_total::integer then
    return query
    select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, l.reason, null::text, null::text, null::text
    from json_to_record(p_texts::json) as r(output text[], errors text[]),
    lateral unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[], r.output, r.errors)
      as i(n, id, fence, output, errors), "chainwright".lost_reason_v1(i.id) as l(reason)
    where i.n <> all(coalesce(v_n, '{}'));
    return query
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[]) as i(n, id, fence)
      where i.n <> all(coalesce(v_n, '{}'))) i,
      lateral "chainwright".begin_followers_v1(v_now, i.n, i.jobs, i.fences) f;
  end if;
end $body$;

create or replace function "chainwright".continue_one_v1(p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_id text, p_type text, p_input text, p_priority text,
  p_at text, p_after text, p_wait text, p_context text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_job uuid := p_job::uuid;
  v_open record;
  v_type text;
  v_reason text;
  v_due double precision := greatest(v_now, coalesce(p_at::double precision, v_now + p_after::double precision, v_now));
  v_id uuid := p_id::uuid;
  v_position bigint := nextval(E'"chainwright".position');
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  delete from "chainwright".open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, o.step, o.attempt, o.fence, o.started_at, o.on_end, o.lane, o.noted into v_open;
  if not found then
    v_reason := "chainwright".lost_reason_v1(v_job);
    return query select 'lost', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_reason, null::text, null::text, null::text;
    if v_reason <> 'lease-lost' then
      return query select * from "chainwright".begin_followers_v1(v_now, array[0], array[v_job], array[p_fence::integer]);
    end if;
    return;
  end if;
  if v_open.lane is not null or v_open.noted then
    perform case when o.lane is not null then "chainwright".give_back_v1(array[o.job_id]) end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end from (select v_open.lane as lane, v_open.noted as noted, v_job as job_id) o;
  end if;
  update "chainwright".job j set
    status = 1, attempt = v_open.attempt, fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now,
    ended_by = p_worker, next_job_id = v_id
  where j.id = v_job
  returning j.type_name into v_type;
  with next_job as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, attempt, position, created_at, input,
      context)
    values (v_id, v_open.chain_id, v_open.step + 1, p_type, p_priority::smallint, coalesce(p_wait::smallint, 0), 0, 0,
      v_position, v_now, p_input, p_context)),
  next_open_job as (
    insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, on_end)
    values (v_id, v_open.chain_id, v_position, v_due, 0, v_open.step + 1, 0, 0, case when v_due > v_now then 1 else 0 end,
      ~p_priority::smallint, false, p_type, v_open.on_end))
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_type, 1, 1);
  kind := 'settled';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_open.chain_id;
  text_1 := v_type;
  ms_1 := (v_now)::bigint;
  return next;
exception when unique_violation then
  return query select 'refused', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'duplicate-id', 'id', p_id)::text, null::text, null::text, null::text;
end $body$;

create or replace function "chainwright".continue_one_named_v1(p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_id text, p_type text, p_input text, p_priority text,
  p_at text, p_after text, p_wait text, p_context text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_job uuid := p_job::uuid;
  v_open record;
  v_type text;
  v_reason text;
  v_due double precision := greatest(v_now, coalesce(p_at::double precision, v_now + p_after::double precision, v_now));
  v_id uuid := p_id::uuid;
  v_position bigint := nextval(E'"chainwright".position');
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  delete from "chainwright".open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, o.step, o.attempt, o.fence, o.started_at, o.on_end, o.lane, o.noted into v_open;
  if not found then
    v_reason := "chainwright".lost_reason_v1(v_job);
    return query select 'lost', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_reason, null::text, null::text, null::text;
    if v_reason <> 'lease-lost' then
      return query select * from "chainwright".begin_followers_v1(v_now, array[0], array[v_job], array[p_fence::integer]);
    end if;
    return;
  end if;
  if v_open.lane is not null or v_open.noted then
    perform case when o.lane is not null then "chainwright".give_back_v1(array[o.job_id]) end, case when o.noted then "chainwright".note_spent_v1(o.job_id) end from (select v_open.lane as lane, v_open.noted as noted, v_job as job_id) o;
  end if;
  update "chainwright".job j set
    status = 1, attempt = v_open.attempt, fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now,
    ended_by = p_worker, next_job_id = v_id
  where j.id = v_job
  returning j.type_name into v_type;
  with next_job as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, attempt, position, created_at, input,
      context, version, pool)
    values (v_id, v_open.chain_id, v_open.step + 1, pg_catalog.split_part(p_type, E'\x01', 1), p_priority::smallint, coalesce(p_wait::smallint, 0), 0, 0,
      v_position, v_now, p_input, p_context, case when pg_catalog.strpos(p_type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(p_type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(p_type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(p_type, E'\x01[^@]*@(.*)$') end)),
  next_open_job as (
    insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, on_end)
    values (v_id, v_open.chain_id, v_position, v_due, 0, v_open.step + 1, 0, 0, case when v_due > v_now then 1 else 0 end,
      ~p_priority::smallint, false, p_type, v_open.on_end))
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_type, 1, 1);
  kind := 'settled';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_open.chain_id;
  text_1 := v_type;
  ms_1 := (v_now)::bigint;
  return next;
exception when unique_violation then
  return query select 'refused', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'duplicate-id', 'id', p_id)::text, null::text, null::text, null::text;
end $body$;

create or replace function "chainwright".claim_any_v1(p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  -- Processes of the last release pass JSON.
  v_types text[] := case when starts_with(p_types, '{') then p_types::text[] end;
  v_leases double precision[] := p_leases::double precision[];
  v_left integer := p_limit::integer;
  v_began timestamptz := clock_timestamp();
  v_newest bigint := case when p_start is not null then pg_sequence_last_value(E'"chainwright".position') end;
  v_start_at jsonb := case when p_start is null then null when p_start::jsonb->>'server' = (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text then p_start::jsonb end;
  v_known smallint[] := array(select k.rank::smallint from jsonb_object_keys(v_start_at->'ranks') as k(rank) order by 1);
  v_from bigint := coalesce(v_start_at->>'from', '0')::bigint;
  v_passed bigint := -pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass);
  v_first jsonb := '[]';
  v_due_from double precision := coalesce((v_start_at->>'due')::double precision, '-Infinity');
  v_release_from bigint := coalesce(v_start_at->>'released', '0')::bigint;
  v_inbox_from bigint := coalesce(v_start_at->>'inbox', '0')::bigint;
  v_due_left integer;
  v_due_until double precision := v_now - 1000;
  v_waited uuid[];
  v_is_paused boolean;
  v_paused text[];
  v_pause_ends double precision;
  v_returned uuid[];
  v_returned_ranks integer[];
  v_asked text[];
  v_asked_leases double precision[];
  v_is_first_look boolean;
  v_sorted text[];
  v_present text[];
  v_name text collate "C";
  v_place integer;
  v_is_due boolean;
  v_is_releasing boolean;
  v_next_known smallint;
  v_rank integer;
  v_next_rank integer;
  v_next_ranks integer[];
  v_ranks smallint[] := '{}';
  v_floors bigint[];
  v_rows tid[];
  v_jobs uuid[];
  v_lease double precision[];
  v_since double precision[];
  v_blocked uuid[];
  v_limited uuid[];
  v_noted uuid[];
  v_next double precision;
  v_filled uuid[];
  v_lanes record;
  v_startable integer;
  v_lane_look double precision;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  -- A claim that finds nothing writes nothing, so it would not notice that the server is no primary any more.
  if current_setting('transaction_read_only')::boolean then
    raise exception 'cannot claim in a read-only transaction' using errcode = 'read_only_sql_transaction';
  end if;
  if v_types is null then
    v_types := array(select json_array_elements_text(p_types::json));
  end if;
  -- The first entry of an index shows whether a job is due, another one whether ended chains have jobs to release.
  -- The order keeps the planner from the index by types, which it would read completely.
  select (
      select true from "chainwright".open_job o where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from order by o.due_at limit 1) is not null,
    exists (select from "chainwright".release r where r.position >= v_release_from),
    exists (select from "chainwright".pause p where p.at is not null)
  into v_is_due, v_is_releasing, v_is_paused;
  if v_is_paused then
    v_paused := array(
      select t.name from unnest(v_types) as t(name) where pg_catalog.split_part(t.name, E'\x01', 1) = any(array(
        select p.type_name from "chainwright".pause p where p.until is null or p.until > v_now)));
    v_pause_ends := (
      select min(p.until) from "chainwright".pause p
      where p.until > v_now and p.type_name = any(array(select pg_catalog.split_part(t.name, E'\x01', 1) from unnest(v_paused) as t(name))));
    -- The types that are left keep their places, which those of other parameters correspond to. Null equals no type.
    v_types := array(
      select case when t.name <> all(v_paused) then t.name end from unnest(v_types) with ordinality as t(name, n) order by t.n);
  end if;
  if v_is_releasing then
    return query select * from "chainwright".resume_release_v2(v_now, v_release_from);
  end if;
  if v_start_at is not null then
    v_returned := array(select r.id::uuid from jsonb_array_elements_text(v_start_at->'returned') as r(id));
  end if;
  if v_is_due then
    v_due_left := case when v_start_at is null then greatest(v_left, 500) else v_left end;
    with ready as (
      update "chainwright".open_job o set
        state = case when o.lane is null then 0 else 3 end, waits = case when o.waits is not null then false end
      from (
        select o.ctid from "chainwright".open_job o
        where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from and (v_start_at is null or o.type_name = any(v_types))
        order by o.due_at limit v_due_left for update skip locked) d
      where o.ctid = d.ctid
      returning o.job_id, o.due_at, o.type_name, o.state, o.waits)
    select array_agg(r.job_id) filter (where r.type_name = any(v_types) and r.state = 0) || v_returned,
      least(v_due_until, case when count(*) = v_due_left then max(r.due_at) end),
      array_agg(r.job_id) filter (where r.state = 3), array_agg(r.job_id) filter (where r.waits is not null)
    into v_returned, v_due_until, v_filled, v_waited
    from ready r;
    if v_filled is not null and v_start_at is not null then
      with filled as (
        update "chainwright".open_job o set state = 3, waits = case when o.waits is not null then false end
        from (
          select o.ctid as at
          from (
            select o.ctid as at, o.lane from "chainwright".open_job o
            where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from
            order by o.due_at limit 500) d
          join "chainwright".open_job o on o.ctid = d.at
          where d.lane is not null and o.state > 0 and o.state < 2
          for update of o skip locked) d
        where o.ctid = d.at
        returning o.job_id, o.waits)
      select v_filled || array_agg(f.job_id), v_waited || array_agg(f.job_id) filter (where f.waits is not null)
      into v_filled, v_waited
      from filled f;
    end if;
    if v_waited is not null then
      delete from "chainwright".topic t where t.job_id = any(v_waited);
    end if;
    if v_filled is not null then
      v_inbox_from := least(v_inbox_from, "chainwright".fill_inbox_v1(v_now, v_filled));
      v_startable := v_left;
    select l.* into v_lanes
    from "chainwright".lease_lanes_v1(v_now, p_worker, coalesce(v_asked, v_types), coalesce(v_asked_leases, v_leases),
      least(v_left, v_startable), 0, v_inbox_from, v_due_from) l;
    v_lane_look := v_lanes.look_at;
    v_inbox_from := coalesce(v_lanes.inbox_from, v_newest, 0);
    if v_lanes.jobs <> '{}' then
      return query select * from "chainwright".leased_rows_v1(v_now, v_lanes.jobs, v_lanes.types, v_lanes.attempts, v_lanes.fences,
        v_lanes.since, v_lanes.blocked, v_lanes.noted, v_lanes.probes);
      v_left := v_left - cardinality(v_lanes.jobs);
    end if;
    end if;
  end if;
  if v_start_at is not null and v_returned <> '{}' then
    v_returned_ranks := array(
      select o.rank::integer from unnest(v_returned) as r(id) join "chainwright".open_job o on o.job_id = any(array[r.id])
      where o.state <= 0 and o.leased_until <= v_now and o.type_name = any(v_types));
  end if;
  if cardinality(v_types) > 128 then
    v_asked := v_types;
    v_asked_leases := v_leases;
    v_is_first_look := v_start_at is null;
    if v_is_first_look then
      v_types := v_asked[:16];
      v_leases := v_asked_leases[:16];
    end if;
  end if;
  while v_left > 0 loop
    if v_next_ranks is null then
      -- The next priority that is present. It is the next known one, unless there is one before it.
      v_next_known := v_known[1];
      select o.rank into v_next_rank from "chainwright".open_job o
      where o.state = 0 and o.rank > coalesce(v_rank, -32769) and o.rank < coalesce(v_next_known, 32768)
      order by o.rank limit 1;
      if v_next_rank is null then
        v_next_rank := v_next_known;
        v_known := v_known[2:];
        exit when v_next_rank is null;
      end if;
    end if;
    if v_rank is not null then
      -- For each type, at which priority after this one, other than 0, the next job waits that no one has leased. Priorities that
      -- were found before stay as long as they are still to come.
      select array_agg(n.rank order by n.n), min(n.rank) into v_next_ranks, v_next_rank
      from (
        select t.n, case when t.rank > v_rank then t.rank else coalesce((
          select o.rank::integer from "chainwright".open_job o
          where o.state = 0 and o.rank <> -1 and o.type_name = t.type_name and o.rank > v_rank::smallint
            and o.position >= v_from and o.leased_until <= v_now
          order by o.rank limit 1), 40000) end as rank
        from unnest(v_types, v_next_ranks) with ordinality as t(type_name, rank, n)) n;
      v_next_rank := least(v_next_rank, case when v_rank < -1 then -1 end,
        (select min(r.rank) from unnest(v_returned_ranks) as r(rank) where r.rank > v_rank));
      exit when v_next_rank = 40000;
    end if;
    v_rank := v_next_rank;
    if v_next_ranks is null or v_rank = -1 then
      v_ranks := v_ranks || v_rank::smallint;
    end if;
    if v_start_at is not null then
      v_floors := array(select f.position::bigint from jsonb_array_elements_text(v_start_at->'ranks'->v_rank::text) as f(position));
    end if;
    -- First the jobs that have become ready before the places where the claim begins, then those after these places.
    for v_turn in case when v_returned_ranks is null then 2 else 1 end .. 2 loop
      exit when v_left = 0;
      if v_turn = 1 then
        select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
          array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.lane is not null or c.waits is not null),
          array_agg(c.job_id) filter (where c.noted)
        into v_rows, v_jobs, v_lease, v_since, v_blocked, v_limited, v_noted
        from (
          select o.ctid, o.job_id, o.has_blockers, o.lane, o.waits, o.noted, t.lease, greatest(o.due_at, o.leased_until) as since
          from unnest(v_returned) as r(id)
          join "chainwright".open_job o on o.job_id = any(array[r.id])
          join unnest(v_types, v_leases) as t(type_name, lease) on t.type_name = o.type_name
          where o.state <= 0 and o.rank = v_rank::smallint and o.leased_until <= v_now
          order by o.position limit v_left for update of o skip locked) c;
      else
    select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
      array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.lane is not null or c.waits is not null),
      array_agg(c.job_id) filter (where c.noted)
    into v_rows, v_jobs, v_lease, v_since, v_blocked, v_limited, v_noted
    from (
      select c.ctid, c.job_id, c.has_blockers, c.lane, c.waits, c.noted, t.lease, c.since
      from unnest(v_types, v_leases, v_floors, v_next_ranks) as t(type_name, lease, floor, rank),
      lateral (
        select o.ctid, o.job_id, o.has_blockers, o.lane, o.waits, o.noted, greatest(o.due_at, o.leased_until) as since
        from "chainwright".open_job o
        where o.state = 0 and o.rank = v_rank::smallint and o.type_name = t.type_name and o.position >= coalesce(t.floor, v_from)
          and o.leased_until <= v_now
        order by o.position limit v_left for update skip locked) c
      where (t.rank is null or t.rank = v_rank or v_rank = -1) and pg_catalog.split_part(t.type_name, E'\x01', 1) <> all(array(select p.type_name from "chainwright".pause p where p.at is not null and (p.until is null or p.until > v_now)))
      limit v_left) c;
      end if;
      continue when v_rows is null;
      return query
      with taken as (
        update "chainwright".open_job o set
          leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1,
          fence = o.fence + 1
        from unnest(v_rows, v_lease, v_since) with ordinality as t(at, lease, since, n)
        where o.ctid = t.at
        returning o.job_id, o.type_name, o.attempt, o.fence, t.since, t.n)
      select 'claimed', j.step, j.priority::integer, t.attempt, t.fence, j.id, j.chain_id, (j.created_at)::bigint, (v_now - t.since)::bigint, t.type_name, j.input, j.errors, j.context
      from taken t join "chainwright".job j on j.id = any(array[t.job_id])
      order by t.n;
      v_left := v_left - cardinality(v_rows);
      v_passed := v_passed - cardinality(v_rows);
      if v_turn = 2 and (v_start_at is not null or v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then
        v_first := v_first || (
          select jsonb_agg(jsonb_build_array(v_rank, o.type_name, o.position))
          from (
            select o.type_name, min(o.position) as position from "chainwright".open_job o where o.job_id = any(v_jobs) group by o.type_name) o);
      end if;
      if v_blocked is not null then
        -- A missing blocker has a row as well, so that the attempt fails to read it and does not get the output of another one.
        return query
        select 'blocker', f.version::integer, e.output_version::integer, null::integer, null::integer, b.job_id, b.chain_id, (f.created_at)::bigint, (e.ended_at)::bigint, f.type_name, f.input, e.output, f.context
        from "chainwright".blocker b
        left join "chainwright".job f on f.id = any(array[b.chain_id])
        left join "chainwright".job e on e.id = any(array[f.ended_job_id])
        where b.job_id = any(v_blocked) and (b.counted or not b.counted)
        order by b.job_id, b.position;
      end if;
      if v_limited is not null then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, j.id, j.chain_id, null::bigint, null::bigint, j.type_name, null::text, '[' || coalesce(j.limits, 'null') || ',' || coalesce(null, 'null') || ',' || coalesce(j.received, 'null') || ',' || coalesce(j.waits, 'null') || ']', null::text
        from "chainwright".job j where j.id = any(v_limited) and (j.limits is not null or j.waits is not null);
      end if;
      if v_noted <> '{}' then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, m.job_id, m.job_id, null::bigint, null::bigint, '', null::text, '[null,null,null,null,' || json_agg(json_build_array(m.name, m.value)) || ']', null::text
        from "chainwright".memo m where m.job_id = any(v_noted) group by m.job_id;
      end if;
    end loop;
    if v_is_first_look then
      exit when v_left = 0;
      v_is_first_look := false;
      v_sorted := coalesce(v_sorted, array(select distinct t.type_name collate "C" from unnest(v_asked) as t(type_name) where t.type_name is not null order by 1));
      v_present := '{}';
      v_name := v_sorted[1];
      for i in 1 .. 100 loop
        select least(
          (select o.type_name from "chainwright".open_job o
            where o.state = 0 and o.rank = -1 and o.type_name >= v_name order by o.type_name limit 1),
          (select o.type_name from "chainwright".open_job o
            where o.state = 0 and o.rank <> -1 and o.type_name >= v_name order by o.type_name limit 1)) into v_name;
        exit when v_name is null;
        v_place := width_bucket(v_name, v_sorted);
        if v_sorted[v_place] = v_name then
          v_present := v_present || v_name::text;
        end if;
        v_name := v_sorted[v_place + 1];
        exit when v_name is null;
      end loop;
      if v_name is not null then
        v_present := null;
      end if;
      if v_present is null then
        v_types := v_asked;
        v_leases := v_asked_leases;
      else
        select coalesce(array_agg(t.type_name order by t.n), '{}'), coalesce(array_agg(t.lease order by t.n), '{}')
        into v_types, v_leases
        from unnest(v_asked, v_asked_leases) with ordinality as t(type_name, lease, n) where t.type_name = any(v_present);
        exit when v_types = '{}';
      end if;
      v_rank := null;
      v_next_ranks := null;
      v_ranks := '{}';
    end if;
  end loop;
  if v_left > 0 then
    if v_asked is not null then
      v_sorted := coalesce(v_sorted, array(select distinct t.type_name collate "C" from unnest(v_asked) as t(type_name) where t.type_name is not null order by 1));
      v_present := '{}';
      v_name := v_sorted[1];
      for i in 1 .. 100 loop
        select (select o.type_name from "chainwright".open_job o
          where o.state = 1 and o.type_name >= v_name and o.due_at >= v_due_until order by o.type_name limit 1) into v_name;
        exit when v_name is null;
        v_place := width_bucket(v_name, v_sorted);
        if v_sorted[v_place] = v_name then
          v_present := v_present || v_name::text;
        end if;
        v_name := v_sorted[v_place + 1];
        exit when v_name is null;
      end loop;
      if v_name is not null then
        v_present := null;
      end if;
      v_asked := coalesce(v_present, v_asked);
    end if;
    -- When the next job is due, the next lease ends, or the next pause ends by itself.
    select least(v_pause_ends, v_lane_look, min(d.due_at))
    from unnest(coalesce(v_asked, v_types)) as t(type_name), lateral (
      select o.due_at from "chainwright".open_job o
      where o.state = 1 and (o.type_name, o.due_at) >= (t.type_name, v_due_until) and o.type_name <= t.type_name
      order by o.type_name, o.due_at limit 1) d
    into v_next;
    if v_ranks <> '{}' and v_start_at is null and not (v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then
      select least(v_next, min(l.leased_until))
      from unnest(v_ranks) as r(rank), unnest(v_types) as t(type_name), lateral (
        select min(o.leased_until) as leased_until from "chainwright".open_job o
        where o.state = 0 and o.rank = r.rank and o.type_name = t.type_name and o.leased_until > v_now) l
      into v_next;
    end if;
    if v_next_ranks is not null and v_start_at is null and not (v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then
      -- The same for leases at all priorities but 0, because not every type was asked for at each of them.
      select least(v_next, min(l.leased_until))
      from unnest(v_types) as t(type_name), lateral (
        select min(o.leased_until) as leased_until from "chainwright".open_job o
        where o.state = 0 and o.rank <> -1 and o.type_name = t.type_name and o.leased_until > v_now) l
      into v_next;
    end if;
    if v_next is not null then
      return query select 'nextDue', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_next - v_now)::bigint, null::bigint, null::text, null::text, null::text, null::text;
    end if;
  end if;
  if v_start_at is not null or v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left) then
    return query select 'claimStart', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('server', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text, 'places', v_first, 'ranks', array_remove(v_ranks, null), 'newest', coalesce(case when v_paused <> '{}' and v_start_at is null then 0 else v_newest end, pg_sequence_last_value(E'"chainwright".position')),
      'oldestOpen', pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 'nextId', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
      'due', (case when v_paused <> '{}' then greatest(v_due_from, 0) else v_due_until end)::bigint, 'returned', array(
        select o.job_id from unnest(v_returned) as r(id) join "chainwright".open_job o on o.job_id = any(array[r.id])
        where o.state <= 0 and o.leased_until <= v_now), 'released', case when v_is_releasing then v_release_from else coalesce(v_newest, 0) end, 'inbox', v_inbox_from, 'dead', pg_stat_get_dead_tuples(E'"chainwright".open_job'::regclass), 'tookMs', case when v_start_at is null then extract(epoch from clock_timestamp() - v_began) * 1000 * greatest(1, (
    select count(*) from "chainwright".worker w
    where w.alive_until > v_now and exists (
      select from json_array_elements_text(w.type_names::json) as n(name), unnest(v_types) as c(name) where n.name = pg_catalog.split_part(c.name, E'\x01', 1)))) else 0 end)::text, null::text, null::text, null::text;
  end if;
end $body$;

create or replace function "chainwright".claimed_rare_v1() returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_blocked uuid[] := string_to_array(substr(current_setting('chainwright.rare_jobs', true), 2), ',')::uuid[];
  v_limited uuid[] := v_blocked;
  v_noted uuid[] := v_blocked;
begin
  perform set_config('chainwright.rare_jobs', '', true);
      if v_blocked is not null then
        -- A missing blocker has a row as well, so that the attempt fails to read it and does not get the output of another one.
        return query
        select 'blocker', f.version::integer, e.output_version::integer, null::integer, null::integer, b.job_id, b.chain_id, (f.created_at)::bigint, (e.ended_at)::bigint, f.type_name, f.input, e.output, f.context
        from "chainwright".blocker b
        left join "chainwright".job f on f.id = any(array[b.chain_id])
        left join "chainwright".job e on e.id = any(array[f.ended_job_id])
        where b.job_id = any(v_blocked) and (b.counted or not b.counted)
        order by b.job_id, b.position;
      end if;
      if v_limited is not null then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, j.id, j.chain_id, null::bigint, null::bigint, j.type_name, null::text, '[' || coalesce(j.limits, 'null') || ',' || coalesce(null, 'null') || ',' || coalesce(j.received, 'null') || ',' || coalesce(j.waits, 'null') || ']', null::text
        from "chainwright".job j where j.id = any(v_limited) and (j.limits is not null or j.waits is not null);
      end if;
      if v_noted <> '{}' then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, m.job_id, m.job_id, null::bigint, null::bigint, '', null::text, '[null,null,null,null,' || json_agg(json_build_array(m.name, m.value)) || ']', null::text
        from "chainwright".memo m where m.job_id = any(v_noted) group by m.job_id;
      end if;
end $body$;

create or replace function "chainwright".make_ready_v1(p_now double precision, p_limit integer, out is_limited boolean, out is_left boolean) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_most integer := greatest(p_limit, 500);
  v_waited uuid[];
begin
  with due as materialized (
    select o.ctid as at, o.lane from "chainwright".open_job o
    where o.state = 1 and o.due_at <= p_now order by o.due_at limit v_most for update skip locked),
  ready as (
    update "chainwright".open_job o set state = 0, waits = case when o.waits is not null then false end
    from due d where o.ctid = d.at and d.lane is null
    returning o.job_id, o.waits)
  select d.is_limited, d.is_left, r.waited into is_limited, is_left, v_waited
  from (select coalesce(bool_or(d.lane is not null), false) as is_limited, count(*) = v_most as is_left from due d) d,
    (select array_agg(r.job_id) filter (where r.waits is not null) as waited from ready r) r;
  if v_waited is not null then
    delete from "chainwright".topic t where t.job_id = any(v_waited);
  end if;
end $body$;

create or replace function "chainwright".claim_start_v1(v_began timestamptz, v_now double precision, p_worker text, v_types text[], p_ranks smallint[], p_taken integer) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_left integer := p_taken;
  v_rank smallint;
  v_type text;
  v_found integer;
  v_position bigint;
  v_first jsonb := '[]';
begin
  <<search>>
  foreach v_rank in array p_ranks loop
    foreach v_type in array v_types loop
      exit search when v_left <= 0;
      select count(*), min(f.position) into v_found, v_position
      from (
        select o.position from "chainwright".open_job o
        where o.state = 0 and o.rank = v_rank and o.type_name = v_type and o.leased_by = p_worker and o.started_at = v_now
        order by o.position limit v_left) f;
      continue when v_found = 0;
      v_first := v_first || jsonb_build_array(jsonb_build_array(v_rank, v_type, v_position));
      v_left := v_left - v_found;
    end loop;
  end loop;
  return query select 'claimStart', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('server', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text, 'places', v_first, 'ranks', array_remove(p_ranks, null), 'newest', coalesce(null, pg_sequence_last_value(E'"chainwright".position')),
      'oldestOpen', pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 'nextId', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
      'due', (v_now - 1000)::bigint, 'returned', '[]'::json, 'released', 0, 'inbox', 0, 'dead', pg_stat_get_dead_tuples(E'"chainwright".open_job'::regclass), 'tookMs', extract(epoch from clock_timestamp() - v_began) * 1000 * greatest(1, (
    select count(*) from "chainwright".worker w
    where w.alive_until > v_now and exists (
      select from json_array_elements_text(w.type_names::json) as n(name), unnest(v_types) as c(name) where n.name = pg_catalog.split_part(c.name, E'\x01', 1)))))::text, null::text, null::text, null::text;
end $body$;

create or replace function "chainwright".claim_v1(p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_began timestamptz := clock_timestamp();
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  -- Null where a process of the last release passes JSON.
  v_types text[] := case when starts_with(p_types, '{') then p_types::text[] end;
  v_left integer := p_limit::integer;
  v_passed bigint := -pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass);
  v_is_plain boolean;
  v_is_due boolean;
  v_is_more boolean;
  v_is_ranked boolean;
  v_rank smallint;
  v_ranks smallint[] := '{}';
  v_taken integer;
  v_next double precision;
begin
  -- Before the first statement, which may wait for the lock of a table.
  if p_alone <> '0' then
    perform set_config('lock_timeout', p_alone, true);
  end if;
  select
    coalesce(p_start is null and cardinality(v_types) <= 128
      and not current_setting('transaction_isolation') <> 'read committed'
      and not current_setting('transaction_read_only')::boolean
      and not exists (select from "chainwright".release), false),
    case when p_start is null then (
      select true from "chainwright".open_job o where o.state = 1 and o.due_at <= v_now order by o.due_at limit 1) is not null end,
    case when p_start is null then (select o.rank from "chainwright".open_job o where o.state = 0 order by o.rank limit 1) end
  into v_is_plain, v_is_due, v_rank;
  if v_is_plain and v_is_due then
    select not d.is_limited, d.is_left into v_is_plain, v_is_due from "chainwright".make_ready_v1(v_now, v_left) d;
    select o.rank into v_rank from "chainwright".open_job o where o.state = 0 order by o.rank limit 1;
  end if;
  if v_is_plain then
    loop
      if v_rank is not null then
        return query
        update "chainwright".open_job o set
          leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1,
          fence = o.fence + 1
        from (
          select c.at, c.since, t.type_name, t.lease
          from unnest(v_types, p_leases::double precision[]) as t(type_name, lease),
          lateral (
            select o.ctid as at, greatest(o.due_at, o.leased_until) as since
            from "chainwright".open_job o
            where o.state = 0 and o.rank = v_rank and o.type_name = t.type_name and o.leased_until <= v_now
            order by o.position limit v_left for update skip locked) c
          where not exists (select from "chainwright".pause p where p.at is not null)
          limit v_left) t, "chainwright".job j
        where o.ctid = t.at and j.id = any(array[o.job_id])
        returning case when o.has_blockers or o.lane is not null or o.waits is not null or o.noted
          then left(set_config('chainwright.rare_jobs', concat(current_setting('chainwright.rare_jobs', true), ',', o.job_id), true), 0) || 'claimed' else 'claimed' end, j.step, j.priority::integer, o.attempt, o.fence, j.id, j.chain_id, (j.created_at)::bigint, (v_now - t.since)::bigint, t.type_name, j.input, j.errors, j.context;
        get diagnostics v_taken = row_count;
        v_left := v_left - v_taken;
        exit when v_left = 0;
      end if;
      select
        exists (select from "chainwright".open_job o where o.state = 0 and o.rank > v_rank),
        v_is_due or exists (select from "chainwright".pause p where p.at is not null),
        (select min(least(
            (select o.due_at from "chainwright".open_job o where o.state = 1 and o.type_name = t.type_name and o.due_at >= v_now - 1000
              order by o.due_at limit 1),
            case when not (v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then (
              select min(o.leased_until) from "chainwright".open_job o
              where o.state = 0 and o.rank = any(v_ranks || v_rank) and o.type_name = t.type_name and o.leased_until > v_now) end))
          from unnest(v_types) as t(type_name))
      into v_is_ranked, v_is_more, v_next;
      exit when v_is_more or not v_is_ranked;
      v_is_more := cardinality(v_ranks) = 2;
      exit when v_is_more;
      v_ranks := v_ranks || v_rank;
      select o.rank into v_rank from "chainwright".open_job o where o.state = 0 and o.rank > v_rank order by o.rank limit 1;
    end loop;
    if current_setting('chainwright.rare_jobs', true) <> '' then
      return query select * from "chainwright".claimed_rare_v1();
    end if;
  end if;
  if not v_is_plain or v_is_more then
    return query select * from "chainwright".claim_any_v1(p_alone, p_now, p_worker, p_types, p_leases, v_left::text, p_start);
    return;
  end if;
  if v_left > 0 and v_next is not null then
    return query select 'nextDue', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_next - v_now)::bigint, null::bigint, null::text, null::text, null::text, null::text;
  end if;
  if v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left) then
    return query select * from "chainwright".claim_start_v1(v_began, v_now, p_worker, v_types, v_ranks || v_rank, p_limit::integer - v_left);
  end if;
end $body$;

create or replace function "chainwright".claim_v2(p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text, p_startable text, p_limited text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  -- Processes of the last release pass JSON.
  v_types text[] := case when starts_with(p_types, '{') then p_types::text[] end;
  v_leases double precision[] := p_leases::double precision[];
  v_left integer := p_limit::integer;
  v_began timestamptz := clock_timestamp();
  v_newest bigint := case when p_start is not null then pg_sequence_last_value(E'"chainwright".position') end;
  v_start_at jsonb := case when p_start is null then null when p_start::jsonb->>'server' = (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text then p_start::jsonb end;
  v_known smallint[] := array(select k.rank::smallint from jsonb_object_keys(v_start_at->'ranks') as k(rank) order by 1);
  v_from bigint := coalesce(v_start_at->>'from', '0')::bigint;
  v_passed bigint := -pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass);
  v_first jsonb := '[]';
  v_due_from double precision := coalesce((v_start_at->>'due')::double precision, '-Infinity');
  v_release_from bigint := coalesce(v_start_at->>'released', '0')::bigint;
  v_inbox_from bigint := coalesce(v_start_at->>'inbox', '0')::bigint;
  v_due_left integer;
  v_due_until double precision := v_now - 1000;
  v_waited uuid[];
  v_is_paused boolean;
  v_paused text[];
  v_pause_ends double precision;
  v_returned uuid[];
  v_returned_ranks integer[];
  v_asked text[];
  v_asked_leases double precision[];
  v_is_first_look boolean;
  v_sorted text[];
  v_present text[];
  v_name text collate "C";
  v_place integer;
  v_is_due boolean;
  v_is_releasing boolean;
  v_next_known smallint;
  v_rank integer;
  v_next_rank integer;
  v_next_ranks integer[];
  v_ranks smallint[] := '{}';
  v_floors bigint[];
  v_rows tid[];
  v_jobs uuid[];
  v_lease double precision[];
  v_since double precision[];
  v_blocked uuid[];
  v_limited uuid[];
  v_noted uuid[];
  v_next double precision;
  v_filled uuid[];
  v_lanes record;
  v_startable integer;
  v_lane_look double precision;
  v_is_limited boolean := p_limited is not null;
  v_lanes_come_first boolean;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  v_startable := coalesce(p_startable, p_limit)::integer;
  -- A claim that finds nothing writes nothing, so it would not notice that the server is no primary any more.
  if current_setting('transaction_read_only')::boolean then
    raise exception 'cannot claim in a read-only transaction' using errcode = 'read_only_sql_transaction';
  end if;
  if v_types is null then
    v_types := array(select json_array_elements_text(p_types::json));
  end if;
  -- The first entry of an index shows whether a job is due, another one whether ended chains have jobs to release.
  -- The order keeps the planner from the index by types, which it would read completely.
  select (
      select true from "chainwright".open_job o where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from order by o.due_at limit 1) is not null,
    exists (select from "chainwright".release r where r.position >= v_release_from),
    exists (select from "chainwright".pause p where p.at is not null)
  into v_is_due, v_is_releasing, v_is_paused;
  if v_is_paused then
    v_paused := array(
      select t.name from unnest(v_types) as t(name) where pg_catalog.split_part(t.name, E'\x01', 1) = any(array(
        select p.type_name from "chainwright".pause p where p.until is null or p.until > v_now)));
    v_pause_ends := (
      select min(p.until) from "chainwright".pause p
      where p.until > v_now and p.type_name = any(array(select pg_catalog.split_part(t.name, E'\x01', 1) from unnest(v_paused) as t(name))));
    -- The types that are left keep their places, which those of other parameters correspond to. Null equals no type.
    v_types := array(
      select case when t.name <> all(v_paused) then t.name end from unnest(v_types) with ordinality as t(name, n) order by t.n);
  end if;
  if v_is_releasing then
    return query select * from "chainwright".resume_release_v2(v_now, v_release_from);
  end if;
  if v_start_at is not null then
    v_returned := array(select r.id::uuid from jsonb_array_elements_text(v_start_at->'returned') as r(id));
  end if;
  if v_is_due then
    v_due_left := case when v_start_at is null then greatest(v_left, 500) else v_left end;
    with ready as (
      update "chainwright".open_job o set
        state = case when o.lane is null then 0 else 3 end, waits = case when o.waits is not null then false end
      from (
        select o.ctid from "chainwright".open_job o
        where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from and (v_start_at is null or o.type_name = any(v_types))
        order by o.due_at limit v_due_left for update skip locked) d
      where o.ctid = d.ctid
      returning o.job_id, o.due_at, o.type_name, o.state, o.waits)
    select array_agg(r.job_id) filter (where r.type_name = any(v_types) and r.state = 0) || v_returned,
      least(v_due_until, case when count(*) = v_due_left then max(r.due_at) end),
      array_agg(r.job_id) filter (where r.state = 3), array_agg(r.job_id) filter (where r.waits is not null)
    into v_returned, v_due_until, v_filled, v_waited
    from ready r;
    if v_filled is not null and v_start_at is not null then
      with filled as (
        update "chainwright".open_job o set state = 3, waits = case when o.waits is not null then false end
        from (
          select o.ctid as at
          from (
            select o.ctid as at, o.lane from "chainwright".open_job o
            where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from
            order by o.due_at limit 500) d
          join "chainwright".open_job o on o.ctid = d.at
          where d.lane is not null and o.state > 0 and o.state < 2
          for update of o skip locked) d
        where o.ctid = d.at
        returning o.job_id, o.waits)
      select v_filled || array_agg(f.job_id), v_waited || array_agg(f.job_id) filter (where f.waits is not null)
      into v_filled, v_waited
      from filled f;
    end if;
    if v_waited is not null then
      delete from "chainwright".topic t where t.job_id = any(v_waited);
    end if;
    if v_filled is not null then
      v_inbox_from := least(v_inbox_from, "chainwright".fill_inbox_v1(v_now, v_filled));
      v_is_limited := true;
    end if;
  end if;
  if v_start_at is not null and v_returned <> '{}' then
    v_returned_ranks := array(
      select o.rank::integer from unnest(v_returned) as r(id) join "chainwright".open_job o on o.job_id = any(array[r.id])
      where o.state <= 0 and o.leased_until <= v_now and o.type_name = any(v_types));
  end if;
  if cardinality(v_types) > 128 then
    v_asked := v_types;
    v_asked_leases := v_leases;
    v_is_first_look := v_start_at is null;
    if v_is_first_look then
      v_types := v_asked[:16];
      v_leases := v_asked_leases[:16];
    end if;
  end if;
  v_lanes_come_first := v_startable < v_left or random() < 0.5;
  if v_is_limited and v_lanes_come_first then
    select l.* into v_lanes
    from "chainwright".lease_lanes_v1(v_now, p_worker, coalesce(v_asked, v_types), coalesce(v_asked_leases, v_leases),
      least(v_left, v_startable), greatest(0, v_left - v_startable) / 2, v_inbox_from, v_due_from) l;
    v_lane_look := v_lanes.look_at;
    v_inbox_from := coalesce(v_lanes.inbox_from, v_newest, 0);
    if v_lanes.jobs <> '{}' then
      return query select * from "chainwright".leased_rows_v1(v_now, v_lanes.jobs, v_lanes.types, v_lanes.attempts, v_lanes.fences,
        v_lanes.since, v_lanes.blocked, v_lanes.noted, v_lanes.probes);
      v_left := v_left - cardinality(v_lanes.jobs);
    end if;
  end if;
  while v_left > 0 loop
    if v_next_ranks is null then
      -- The next priority that is present. It is the next known one, unless there is one before it.
      v_next_known := v_known[1];
      select o.rank into v_next_rank from "chainwright".open_job o
      where o.state = 0 and o.rank > coalesce(v_rank, -32769) and o.rank < coalesce(v_next_known, 32768)
      order by o.rank limit 1;
      if v_next_rank is null then
        v_next_rank := v_next_known;
        v_known := v_known[2:];
        exit when v_next_rank is null;
      end if;
    end if;
    if v_rank is not null then
      -- For each type, at which priority after this one, other than 0, the next job waits that no one has leased. Priorities that
      -- were found before stay as long as they are still to come.
      select array_agg(n.rank order by n.n), min(n.rank) into v_next_ranks, v_next_rank
      from (
        select t.n, case when t.rank > v_rank then t.rank else coalesce((
          select o.rank::integer from "chainwright".open_job o
          where o.state = 0 and o.rank <> -1 and o.type_name = t.type_name and o.rank > v_rank::smallint
            and o.position >= v_from and o.leased_until <= v_now
          order by o.rank limit 1), 40000) end as rank
        from unnest(v_types, v_next_ranks) with ordinality as t(type_name, rank, n)) n;
      v_next_rank := least(v_next_rank, case when v_rank < -1 then -1 end,
        (select min(r.rank) from unnest(v_returned_ranks) as r(rank) where r.rank > v_rank));
      exit when v_next_rank = 40000;
    end if;
    v_rank := v_next_rank;
    if v_next_ranks is null or v_rank = -1 then
      v_ranks := v_ranks || v_rank::smallint;
    end if;
    if v_start_at is not null then
      v_floors := array(select f.position::bigint from jsonb_array_elements_text(v_start_at->'ranks'->v_rank::text) as f(position));
    end if;
    -- First the jobs that have become ready before the places where the claim begins, then those after these places.
    for v_turn in case when v_returned_ranks is null then 2 else 1 end .. 2 loop
      exit when v_left = 0;
      if v_turn = 1 then
        select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
          array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.lane is not null or c.waits is not null),
          array_agg(c.job_id) filter (where c.noted)
        into v_rows, v_jobs, v_lease, v_since, v_blocked, v_limited, v_noted
        from (
          select o.ctid, o.job_id, o.has_blockers, o.lane, o.waits, o.noted, t.lease, greatest(o.due_at, o.leased_until) as since
          from unnest(v_returned) as r(id)
          join "chainwright".open_job o on o.job_id = any(array[r.id])
          join unnest(v_types, v_leases) as t(type_name, lease) on t.type_name = o.type_name
          where o.state <= 0 and o.rank = v_rank::smallint and o.leased_until <= v_now
          order by o.position limit v_left for update of o skip locked) c;
      else
    select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
      array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.lane is not null or c.waits is not null),
      array_agg(c.job_id) filter (where c.noted)
    into v_rows, v_jobs, v_lease, v_since, v_blocked, v_limited, v_noted
    from (
      select c.ctid, c.job_id, c.has_blockers, c.lane, c.waits, c.noted, t.lease, c.since
      from unnest(v_types, v_leases, v_floors, v_next_ranks) as t(type_name, lease, floor, rank),
      lateral (
        select o.ctid, o.job_id, o.has_blockers, o.lane, o.waits, o.noted, greatest(o.due_at, o.leased_until) as since
        from "chainwright".open_job o
        where o.state = 0 and o.rank = v_rank::smallint and o.type_name = t.type_name and o.position >= coalesce(t.floor, v_from)
          and o.leased_until <= v_now
        order by o.position limit v_left for update skip locked) c
      where (t.rank is null or t.rank = v_rank or v_rank = -1) and pg_catalog.split_part(t.type_name, E'\x01', 1) <> all(array(select p.type_name from "chainwright".pause p where p.at is not null and (p.until is null or p.until > v_now)))
      limit v_left) c;
      end if;
      continue when v_rows is null;
      return query
      with taken as (
        update "chainwright".open_job o set
          leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1,
          fence = o.fence + 1
        from unnest(v_rows, v_lease, v_since) with ordinality as t(at, lease, since, n)
        where o.ctid = t.at
        returning o.job_id, o.type_name, o.attempt, o.fence, t.since, t.n)
      select 'claimed', j.step, j.priority::integer, t.attempt, t.fence, j.id, j.chain_id, (j.created_at)::bigint, (v_now - t.since)::bigint, t.type_name, j.input, j.errors, j.context
      from taken t join "chainwright".job j on j.id = any(array[t.job_id])
      order by t.n;
      v_left := v_left - cardinality(v_rows);
      v_passed := v_passed - cardinality(v_rows);
      if v_turn = 2 and (v_start_at is not null or v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then
        v_first := v_first || (
          select jsonb_agg(jsonb_build_array(v_rank, o.type_name, o.position))
          from (
            select o.type_name, min(o.position) as position from "chainwright".open_job o where o.job_id = any(v_jobs) group by o.type_name) o);
      end if;
      if v_blocked is not null then
        -- A missing blocker has a row as well, so that the attempt fails to read it and does not get the output of another one.
        return query
        select 'blocker', f.version::integer, e.output_version::integer, null::integer, null::integer, b.job_id, b.chain_id, (f.created_at)::bigint, (e.ended_at)::bigint, f.type_name, f.input, e.output, f.context
        from "chainwright".blocker b
        left join "chainwright".job f on f.id = any(array[b.chain_id])
        left join "chainwright".job e on e.id = any(array[f.ended_job_id])
        where b.job_id = any(v_blocked) and (b.counted or not b.counted)
        order by b.job_id, b.position;
      end if;
      if v_limited is not null then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, j.id, j.chain_id, null::bigint, null::bigint, j.type_name, null::text, '[' || coalesce(j.limits, 'null') || ',' || coalesce(null, 'null') || ',' || coalesce(j.received, 'null') || ',' || coalesce(j.waits, 'null') || ']', null::text
        from "chainwright".job j where j.id = any(v_limited) and (j.limits is not null or j.waits is not null);
      end if;
      if v_noted <> '{}' then
        return query
        select 'triggered', null::integer, null::integer, null::integer, null::integer, m.job_id, m.job_id, null::bigint, null::bigint, '', null::text, '[null,null,null,null,' || json_agg(json_build_array(m.name, m.value)) || ']', null::text
        from "chainwright".memo m where m.job_id = any(v_noted) group by m.job_id;
      end if;
    end loop;
    if v_is_first_look then
      exit when v_left = 0;
      v_is_first_look := false;
      v_sorted := coalesce(v_sorted, array(select distinct t.type_name collate "C" from unnest(v_asked) as t(type_name) where t.type_name is not null order by 1));
      v_present := '{}';
      v_name := v_sorted[1];
      for i in 1 .. 100 loop
        select least(
          (select o.type_name from "chainwright".open_job o
            where o.state = 0 and o.rank = -1 and o.type_name >= v_name order by o.type_name limit 1),
          (select o.type_name from "chainwright".open_job o
            where o.state = 0 and o.rank <> -1 and o.type_name >= v_name order by o.type_name limit 1)) into v_name;
        exit when v_name is null;
        v_place := width_bucket(v_name, v_sorted);
        if v_sorted[v_place] = v_name then
          v_present := v_present || v_name::text;
        end if;
        v_name := v_sorted[v_place + 1];
        exit when v_name is null;
      end loop;
      if v_name is not null then
        v_present := null;
      end if;
      if v_present is null then
        v_types := v_asked;
        v_leases := v_asked_leases;
      else
        select coalesce(array_agg(t.type_name order by t.n), '{}'), coalesce(array_agg(t.lease order by t.n), '{}')
        into v_types, v_leases
        from unnest(v_asked, v_asked_leases) with ordinality as t(type_name, lease, n) where t.type_name = any(v_present);
        exit when v_types = '{}';
      end if;
      v_rank := null;
      v_next_ranks := null;
      v_ranks := '{}';
    end if;
  end loop;
  if v_is_limited and not v_lanes_come_first then
    select l.* into v_lanes
    from "chainwright".lease_lanes_v1(v_now, p_worker, coalesce(v_asked, v_types), coalesce(v_asked_leases, v_leases),
      least(v_left, v_startable), greatest(0, v_left - v_startable) / 2, v_inbox_from, v_due_from) l;
    v_lane_look := v_lanes.look_at;
    v_inbox_from := coalesce(v_lanes.inbox_from, v_newest, 0);
    if v_lanes.jobs <> '{}' then
      return query select * from "chainwright".leased_rows_v1(v_now, v_lanes.jobs, v_lanes.types, v_lanes.attempts, v_lanes.fences,
        v_lanes.since, v_lanes.blocked, v_lanes.noted, v_lanes.probes);
      v_left := v_left - cardinality(v_lanes.jobs);
    end if;
  end if;
  if v_left > 0 then
    if v_asked is not null then
      v_sorted := coalesce(v_sorted, array(select distinct t.type_name collate "C" from unnest(v_asked) as t(type_name) where t.type_name is not null order by 1));
      v_present := '{}';
      v_name := v_sorted[1];
      for i in 1 .. 100 loop
        select (select o.type_name from "chainwright".open_job o
          where o.state = 1 and o.type_name >= v_name and o.due_at >= v_due_until order by o.type_name limit 1) into v_name;
        exit when v_name is null;
        v_place := width_bucket(v_name, v_sorted);
        if v_sorted[v_place] = v_name then
          v_present := v_present || v_name::text;
        end if;
        v_name := v_sorted[v_place + 1];
        exit when v_name is null;
      end loop;
      if v_name is not null then
        v_present := null;
      end if;
      v_asked := coalesce(v_present, v_asked);
    end if;
    -- When the next job is due, the next lease ends, or the next pause ends by itself.
    select least(v_pause_ends, v_lane_look, min(d.due_at))
    from unnest(coalesce(v_asked, v_types)) as t(type_name), lateral (
      select o.due_at from "chainwright".open_job o
      where o.state = 1 and (o.type_name, o.due_at) >= (t.type_name, v_due_until) and o.type_name <= t.type_name
      order by o.type_name, o.due_at limit 1) d
    into v_next;
    if v_ranks <> '{}' and v_start_at is null and not (v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then
      select least(v_next, min(l.leased_until))
      from unnest(v_ranks) as r(rank), unnest(v_types) as t(type_name), lateral (
        select min(o.leased_until) as leased_until from "chainwright".open_job o
        where o.state = 0 and o.rank = r.rank and o.type_name = t.type_name and o.leased_until > v_now) l
      into v_next;
    end if;
    if v_next_ranks is not null and v_start_at is null and not (v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then
      -- The same for leases at all priorities but 0, because not every type was asked for at each of them.
      select least(v_next, min(l.leased_until))
      from unnest(v_types) as t(type_name), lateral (
        select min(o.leased_until) as leased_until from "chainwright".open_job o
        where o.state = 0 and o.rank <> -1 and o.type_name = t.type_name and o.leased_until > v_now) l
      into v_next;
    end if;
    if v_next is not null then
      return query select 'nextDue', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_next - v_now)::bigint, null::bigint, null::text, null::text, null::text, null::text;
    end if;
  end if;
  if v_start_at is not null or v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left) then
    return query select 'claimStart', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('server', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text, 'places', v_first, 'ranks', array_remove(v_ranks, null), 'newest', coalesce(case when v_paused <> '{}' and v_start_at is null then 0 else v_newest end, pg_sequence_last_value(E'"chainwright".position')),
      'oldestOpen', pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 'nextId', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
      'due', (case when v_paused <> '{}' then greatest(v_due_from, 0) else v_due_until end)::bigint, 'returned', array(
        select o.job_id from unnest(v_returned) as r(id) join "chainwright".open_job o on o.job_id = any(array[r.id])
        where o.state <= 0 and o.leased_until <= v_now), 'released', case when v_is_releasing then v_release_from else coalesce(v_newest, 0) end, 'inbox', v_inbox_from, 'dead', pg_stat_get_dead_tuples(E'"chainwright".open_job'::regclass), 'tookMs', case when v_start_at is null then extract(epoch from clock_timestamp() - v_began) * 1000 * greatest(1, (
    select count(*) from "chainwright".worker w
    where w.alive_until > v_now and exists (
      select from json_array_elements_text(w.type_names::json) as n(name), unnest(v_types) as c(name) where n.name = pg_catalog.split_part(c.name, E'\x01', 1)))) else 0 end)::text, null::text, null::text, null::text;
  end if;
end $body$;

create or replace function "chainwright".look_back_v1(p_alone text, p_now text, p_places text) returns table(seen text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set max_parallel_workers_per_gather = 0
set jit = off
as $body$
#variable_conflict use_column
declare
  v_began timestamptz := clock_timestamp();
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_newest bigint := pg_sequence_last_value(E'"chainwright".position');
  v_places jsonb := p_places::jsonb->'places';
  v_types text[] := array(select jsonb_array_elements_text(p_places::jsonb->'types'));
  v_from bigint := (p_places::jsonb->>'from')::bigint;
begin
  return query
  with found as (
    select o.state, o.rank, o.type_name, min(o.due_at) as due_at, min(o.position) filter (where not p.is_before) as position,
      (array_agg(o.job_id) filter (where p.is_before))[1:10000] as before
    from "chainwright".open_job o, lateral (
      select o.position < coalesce((v_places->o.rank::text->>o.type_name)::bigint, v_from) as is_before offset 0) p
    where o.state < 2 and o.leased_until <= v_now and o.type_name = any(v_types)
    group by o.state, o.rank, o.type_name)
  select json_build_object('server', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text, 'newest', v_newest, 'now', (v_now)::bigint, 'dead', pg_stat_get_dead_tuples(E'"chainwright".open_job'::regclass),
    'released', coalesce((select min(r.position + 0) from "chainwright".release r), v_newest),
    'inbox', coalesce((
      select json_agg(json_build_array(p.type_name, p.position))
      from (select p.type_name, min(p.position) as position from "chainwright".parked p where p.lane = '00000000-0000-0000-0000-000000000000'::uuid group by p.type_name) p), '[]'), 'tookMs', extract(epoch from clock_timestamp() - v_began) * 1000 * greatest(1, (
    select count(*) from "chainwright".worker w
    where w.alive_until > v_now and exists (
      select from json_array_elements_text(w.type_names::json) as n(name), unnest(v_types) as c(name) where n.name = pg_catalog.split_part(c.name, E'\x01', 1)))),
    'ready', coalesce(
      json_agg(json_build_array(f.rank, f.type_name, f.position, coalesce(f.before, '{}'))) filter (where f.state = 0), '[]'),
    'scheduled', coalesce(json_agg(json_build_array(f.type_name, (f.due_at)::bigint)) filter (where f.state = 1), '[]'))::text
  from found f;
end $body$;

create or replace function "chainwright".renew_v1(p_alone text, p_now text, p_worker text, p_held text) returns table(n integer, reason text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  return query
  with held as materialized (
    select * from json_to_recordset(p_held::json) as h(n integer, id uuid, fence integer, lease double precision)),
  own as materialized (
    select h.n, h.lease, o.ctid as at
    from held h join "chainwright".open_job o on o.job_id = any(array[h.id])
    where o.leased_by = p_worker and o.fence = h.fence
    for no key update of o skip locked),
  renewed as (
    update "chainwright".open_job o set leased_until = v_now + w.lease from own w where o.ctid = w.at)
  select h.n, case when o.job_id is null then "chainwright".lost_reason_v1(h.id) else 'busy' end
  from held h
  left join "chainwright".open_job o on o.job_id = any(array[h.id]) and o.leased_by = p_worker and o.fence = h.fence
  where h.n not in (select w.n from own w)
  order by h.n;
end $body$;

create or replace function "chainwright".set_pauses_v1(p_alone text, p_now text, p_pauses text, p_resume text) returns table(is_set integer)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  insert into "chainwright".pause (type_name, until, reason, "by", at)
  select w."typeName", v_now + w."forMs", w.reason, w."by", v_now
  from json_to_recordset(p_pauses::json) as w("typeName" text, "forMs" double precision, reason text, "by" text)
  order by w."typeName" collate "C"
  on conflict (type_name) do update set
    until = excluded.until, reason = excluded.reason, "by" = excluded."by", at = excluded.at;
  delete from "chainwright".pause p
  where p.type_name = any(array(
    select r.type_name from "chainwright".pause r
    where r.type_name = any(array(select json_array_elements_text(p_resume::json)))
    order by r.type_name for update));
  delete from "chainwright".pause p
  where p.type_name = any(array(select r.type_name from "chainwright".pause r where r.until <= v_now order by r.type_name for update skip locked));
  return query select 1;
end $body$;

create or replace function "chainwright".soonest_schedules_v1(p_limit integer) returns table(id text, next_at bigint, last_at bigint, paused_at bigint, created_at bigint, updated_at bigint, forgotten_from bigint, forgotten_until bigint, missed_count bigint, skipped_count bigint, revision integer, last_chain_id uuid, type_name text, owner text, paused_reason text, tz_version text, declared text, override text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare

begin
  return query
  select s.id, (s.next_at)::bigint as next_at, (s.last_at)::bigint as last_at, (s.paused_at)::bigint as paused_at, (s.created_at)::bigint as created_at, (s.updated_at)::bigint as updated_at, (s.forgotten_from)::bigint as forgotten_from, (s.forgotten_until)::bigint as forgotten_until, (s.missed_count)::bigint as missed_count, (s.skipped_count)::bigint as skipped_count, s.revision, s.last_chain_id, s.type_name, s.owner, s.paused_reason, s.tz_version, s.declared, s.override
  from "chainwright".schedule s
  where s.paused_at is null and s.next_at is not null
  order by s.next_at, s.id limit p_limit;
end $body$;

create or replace function "chainwright".change_schedules_v1(p_alone text, p_now text, p_changes text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_changes jsonb := p_changes::jsonb;
  v_bad record;
  v_created integer;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  loop
    begin
      perform from "chainwright".schedule s where s.id = any(array(select c.id from jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text))) order by s.id for update;
      select c.id, s.revision as actual,
        case when c.is_new then 'duplicate-id' when s.id is null then 'schedule-not-found' else 'schedule-changed' end as code
      into v_bad
      from jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text) left join "chainwright".schedule s on s.id = any(array[c.id])
      where case when c.is_new then s.id is not null
        else s.id is null or s.revision <> c.revision or s.next_at is distinct from c.next end
      order by c.n limit 1;
      if found then
        return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('id', v_bad.id, 'code', v_bad.code,
            'actual', case v_bad.code when 'schedule-changed' then v_bad.actual::text end)::text, null::text, null::text, null::text;
        return;
      end if;
      insert into "chainwright".schedule (id, revision, type_name, owner, declared, override, paused_at, paused_reason, next_at, tz_version,
        created_at, updated_at)
      select c.id, 1, c.type, c.owner, c.declared, c.override, c.paused_at, c.paused_reason, c.new_next, c.tz, v_now, v_now
      from jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text) where c.is_new order by c.id collate "C"
      on conflict (id) do nothing;
      get diagnostics v_created = row_count;
      if v_created < (select count(*) from jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text) where c.is_new) then
        raise exception 'created meanwhile' using errcode = 'CW004';
      end if;
      update "chainwright".schedule s set revision = s.revision + 1, type_name = c.type, owner = c.owner, declared = c.declared,
        override = c.override, paused_at = c.paused_at, paused_reason = c.paused_reason, next_at = c.new_next, tz_version = c.tz,
        updated_at = v_now
      from jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text) where s.id = any(array[c.id]) and not c.is_new and not c.is_deleted;
      delete from "chainwright".schedule s using jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text) where s.id = any(array[c.id]) and c.is_deleted;
      exit;
    exception when sqlstate 'CW004' then null;
    end;
  end loop;
  return query
  select 'changed', c.n, case when not c.is_deleted then coalesce(c.revision, 0) + 1 end, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text
  from jsonb_to_recordset(v_changes) as c(n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text) order by c.n;
end $body$;

create or replace function "chainwright".tick_v1(p_alone text, p_now text, p_items text, p_ticks text, p_skipped text, p_starts text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_items jsonb := p_items::jsonb;
  v_ticks jsonb := p_ticks::jsonb;
  v_starts jsonb := p_starts::jsonb;
  v_free boolean[];
  v_last uuid[];
  -- Of each start: 0 undecided, 1 started, 2 known, 3 left out for an overlap. Then its chain, or the active one.
  v_state integer[] := array_fill(0, array[jsonb_array_length(v_starts)]);
  v_result uuid[] := '{}';
  v_is_live boolean[] := '{}';
  v_is_announced boolean[] := '{}';
  v_overlaps integer[];
  v_active uuid[];
  v_begun uuid[];
  -- Of a round.
  v_skip integer[];
  v_live boolean[];
  v_chains uuid[];
  v_announced boolean[];
  v_gaps text[];
  v_tick record;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  select array_agg(l.id is not null order by i.n), array_agg(l.last_chain_id order by i.n), array_agg(0 order by i.n),
    array_agg(i.id) filter (where i.next is null)
  into v_free, v_last, v_overlaps, v_gaps
  from jsonb_to_recordset(v_items) as i(n integer, id text, revision integer, next double precision, new_next double precision,
  last double precision, tz text, missed bigint) left join lateral (
    select s.id, s.last_chain_id from "chainwright".schedule s
    where s.id = any(array[i.id])
      and (i.next is null or s.revision = i.revision and s.next_at = i.next and s.paused_at is null and s.next_at <= v_now)
    for update skip locked) l on true;
  while exists (select from (select k.* from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_free[k.item + 1] and v_state[k.n + 1] = 0) k) loop
    v_active := array(
      select f.id from "chainwright".job f
      where f.id = any(array(select v_last[k.item + 1] from (select k.* from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_free[k.item + 1] and v_state[k.n + 1] = 0) k where k.is_skip)) and f.chain_status = 0);
    if v_active <> '{}' then
      for v_tick in
        select k.n, k.item, t.at is not null and (t.chain_id is not null or not k.is_gap) or k.is_gap and exists (
          select from "chainwright".schedule s where s.id = any(array[k.schedule]) and k.at between s.forgotten_from and s.forgotten_until) as is_known
        from (select k.* from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_free[k.item + 1] and v_state[k.n + 1] = 0) k left join "chainwright".tick t on t.schedule_id = any(array[k.schedule]) and t.at = any(array[k.at])
        where k.is_skip and v_last[k.item + 1] = any(v_active)
      loop
        v_state[v_tick.n + 1] := case when v_tick.is_known then 2 else 3 end;
        v_result[v_tick.n + 1] := v_last[v_tick.item + 1];
        v_overlaps[v_tick.item + 1] := v_overlaps[v_tick.item + 1] + 1 - v_tick.is_known::integer;
      end loop;
      insert into "chainwright".tick (schedule_id, at, reason, made_at)
      select k.schedule, k.at, 0, v_now
      from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_state[k.n + 1] = 3 order by k.schedule collate "C", k.at
      on conflict (schedule_id, at) do nothing;
    end if;
    with planned as materialized (
      select k.*, row_number() over (partition by k.item order by k.n) as nth from (select k.* from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_free[k.item + 1] and v_state[k.n + 1] = 0) k),
    written as (
      insert into "chainwright".tick as t (schedule_id, at, chain_id, made_at)
      select k.schedule, k.at, k.chain, v_now
      from planned k
      where (k.nth = 1 or not k.is_skip) and (not k.is_gap or not (false or k.is_gap and exists (
          select from "chainwright".schedule s where s.id = any(array[k.schedule]) and k.at between s.forgotten_from and s.forgotten_until)))
      order by k.schedule collate "C", k.at
      on conflict (schedule_id, at) do update set chain_id = excluded.chain_id, reason = null, made_at = excluded.made_at
        where t.chain_id is null and t.schedule_id = any(v_gaps)
      returning t.chain_id)
    select array(select w.chain_id from written w) into v_begun;
    for v_tick in
      select k.n from (
        select k.*, row_number() over (partition by k.item order by k.n) as nth from (select k.* from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_free[k.item + 1] and v_state[k.n + 1] = 0) k) k
      where (k.nth = 1 or not k.is_skip) and k.chain <> all(v_begun)
    loop
      v_state[v_tick.n + 1] := 2;
    end loop;
    if v_begun <> '{}' then
      v_skip := array(select k.n from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where k.chain <> all(v_begun));
      select b.live, b.chains into v_live, v_chains from "chainwright".begin_v1(v_now, v_starts, v_skip, null, null) b;
      -- Looks at the text only: most calls have none of these.
      if v_starts @? '$[*] ? (@.scope > 1)' then
        select g.live, g.chains, g.announced into v_live, v_chains, v_announced
        from "chainwright".gather_v1(v_now, v_starts, v_skip, v_live, v_chains) g;
      end if;
      if v_starts @? '$[*].waits' then
        perform "chainwright".begin_waits_v1(v_now, v_starts, v_live);
      end if;
      for v_tick in select k.n, k.item from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where k.chain = any(v_begun) order by k.n loop
        v_state[v_tick.n + 1] := 1;
        v_is_live[v_tick.n + 1] := v_live[v_tick.n + 1];
        v_is_announced[v_tick.n + 1] := v_announced[v_tick.n + 1];
        v_result[v_tick.n + 1] := v_chains[v_tick.n + 1];
        v_last[v_tick.item + 1] := v_chains[v_tick.n + 1];
      end loop;
      -- Where another chain has the deduplication key, that chain is on record.
      update "chainwright".tick t set chain_id = v_chains[k.n + 1]
      from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean)
      where k.chain = any(v_begun) and not v_live[k.n + 1]
        and t.schedule_id = any(array[k.schedule]) and t.at = any(array[k.at]);
    end if;
  end loop;
  if p_skipped <> '[]' then
    insert into "chainwright".tick (schedule_id, at, reason, made_at)
    select k.schedule, k.at, k.reason, v_now
    from json_to_recordset(p_skipped::json) as k(item integer, schedule text, at double precision, reason smallint)
    where v_free[k.item + 1] order by k.schedule collate "C", k.at
    on conflict (schedule_id, at) do nothing;
  end if;
  update "chainwright".schedule s set next_at = i.new_next, last_at = i.last, tz_version = i.tz, last_chain_id = v_last[i.n + 1],
    missed_count = s.missed_count + i.missed, skipped_count = s.skipped_count + v_overlaps[i.n + 1]
  from jsonb_to_recordset(v_items) as i(n integer, id text, revision integer, next double precision, new_next double precision,
  last double precision, tz text, missed bigint)
  where s.id = any(array[i.id]) and i.next is not null and v_free[i.n + 1];
  return query
  select 'taken', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from jsonb_to_recordset(v_items) as i(n integer, id text, revision integer, next double precision, new_next double precision,
  last double precision, tz text, missed bigint) where not v_free[i.n + 1]
  union all
  select 'known', k.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_state[k.n + 1] = 2
  union all
  select 'overlap', k.n, null::integer, null::integer, null::integer, v_result[k.n + 1], null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text from jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean) where v_state[k.n + 1] = 3;
  v_live := v_is_live;
  v_chains := v_result;
  v_announced := v_is_announced;
  return query
  select 'start', i.n, case when not v_live[i.n + 1] then j.chain_status::integer end, case when not v_live[i.n + 1] then j.version::integer end, v_announced[i.n + 1]::integer, j.id, null::uuid, (j.created_at)::bigint, (case when v_live[i.n + 1] or v_announced[i.n + 1] is not null then o.due_at - v_now end)::bigint, j.type_name, case when v_live[i.n + 1] then case when o.job_id is null then 'failed' when o.waits and (o.state = 2 or o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.state = 1 and o.due_at > v_now then 'scheduled'
      else 'ready' end end, case when not v_live[i.n + 1] then j.input end, null::text
  from jsonb_to_recordset(v_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json)
  join "chainwright".job j on j.id = any(array[v_chains[i.n + 1]])
  left join "chainwright".open_job o on o.job_id = any(array[case when v_announced[i.n + 1] is null then i.id else j.id end])
  where v_state[i.n + 1] = 1
  order by i.n;
end $body$;

create or replace function "chainwright".trigger_v1(p_alone text, p_now text, p_jobs text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_jobs uuid[] := array(select e.id::uuid from json_array_elements_text(p_jobs::json) with ordinality as e(id, n) order by e.n);
  v_bad record;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  perform from "chainwright".open_job o where o.job_id = any(v_jobs) order by o.job_id for update;
  select i.id, case when j.id is null then 'job-not-found' else 'job-not-scheduled' end as code, case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else case when o.waits and (o.state = 2 or o.state = 1 and o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.leased_until > v_now then 'running'
    when o.state = 1 and o.due_at > v_now then 'scheduled' else 'ready' end end as actual,
    j.follows
  into v_bad
  from unnest(v_jobs) with ordinality as i(id, n)
  left join "chainwright".job j on j.id = any(array[i.id])
  left join "chainwright".open_job o on o.job_id = any(array[i.id])
  where j.id is null or case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else case when o.waits and (o.state = 2 or o.state = 1 and o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.leased_until > v_now then 'running'
    when o.state = 1 and o.due_at > v_now then 'scheduled' else 'ready' end end <> 'scheduled' or (j.follows is not null and o.fence = 0)
  order by i.n limit 1;
  if found then
    return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('id', v_bad.id, 'code', v_bad.code,
        'actual', case v_bad.code when 'job-not-scheduled' then v_bad.actual end,
        'references', case when v_bad.follows is not null and v_bad.actual = 'scheduled' then json_build_array(v_bad.follows) end)::text, null::text, null::text, null::text;
    return;
  end if;
  update "chainwright".open_job o set state = case when o.lane is null then 0 else 1 end, due_at = v_now where o.job_id = any(v_jobs);
  return query
  select 'triggered', null::integer, null::integer, null::integer, null::integer, j.id, j.chain_id, null::bigint, null::bigint, j.type_name, j.type_name || case when j.version is null and j.pool is null then '' else
    E'\x01' || coalesce('#' || j.version, '') || coalesce('@' || j.pool, '') end, null::text, null::text
  from unnest(v_jobs) with ordinality as i(id, n) join "chainwright".job j on j.id = any(array[i.id])
  order by i.n;
end $body$;

create or replace function "chainwright".own_blockers_v1(p_n integer[], p_chains uuid[], out n integer[], out chains uuid[]) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_n integer[] := p_n;
  v_edge uuid[] := p_chains;
begin
  n := '{}';
  chains := '{}';
  while v_edge <> '{}' loop
    select coalesce(array_agg(b.n), '{}'), coalesce(array_agg(b.chain_id), '{}') into v_n, v_edge
    from (
      select distinct on (b.chain_id) b.chain_id, e.n
      from unnest(v_n, v_edge) as e(n, id)
      cross join lateral (select coalesce((select j.id from "chainwright".job j where j.chain_id = e.id and j.step > 1 order by j.step desc limit 1), e.id) as job_id) l
      cross join lateral (select b.chain_id from "chainwright".blocker b where b.job_id = l.job_id and b.own offset 0) b
      join "chainwright".job f on f.id = any(array[b.chain_id])
      where (select o.state from "chainwright".open_job o where o.job_id = l.job_id) = 2 and f.chain_status = 0 and f.id <> all(chains) and f.id <> all(p_chains)
      order by b.chain_id, e.n) b;
    n := n || v_n;
    chains := chains || v_edge;
  end loop;
end $body$;

create or replace function "chainwright".unneeded_v1(p_jobs uuid[], p_chains uuid[], p_chain_jobs uuid[]) returns uuid[]
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_chains uuid[] := p_chains;
  v_jobs uuid[] := p_chain_jobs;
  v_count integer;
begin
  loop
    v_count := cardinality(v_chains);
    select coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.job_id), '{}') into v_chains, v_jobs
    from unnest(v_chains, v_jobs) as c(id, job_id)
    where (
      select true from "chainwright".blocker b
      where b.chain_id = c.id and b.job_id <> all(p_jobs) and b.job_id <> all(v_jobs)
        and (select true from "chainwright".open_job o where o.job_id = b.job_id) limit 1) is null;
    exit when cardinality(v_chains) = v_count;
  end loop;
  return v_chains;
end $body$;

create or replace function "chainwright".cancel_chains_v1(p_now double precision, p_items json) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_items uuid[];
  v_own_n integer[];
  v_own uuid[];
  v_with uuid[] := '{}';
  v_with_n integer[] := '{}';
  v_with_job uuid[] := '{}';
  v_locked uuid[] := '{}';
  v_more uuid[];
  v_closed uuid[];
  v_item record;
  v_found record;
  v_refusal text;
  v_refused integer;
  v_n integer[];
  v_job uuid[];
  v_reason text[];
  v_chain uuid[];
  v_type text[];
  v_attempt integer[];
  v_fence integer[];
  v_by text[];
  v_until double precision[];
  v_marked uuid[];
  v_broken uuid[];
  v_broken_n integer[];
begin
  select array_agg(i.chain), array_agg(i.n) filter (where i.own), array_agg(i.chain) filter (where i.own)
  into v_items, v_own_n, v_own
  from json_to_recordset(p_items) as i(n integer, chain uuid, reason text, own boolean);
  if v_own is not null then
    v_more := (select b.chains from "chainwright".own_blockers_v1(v_own_n, v_own) b);
  end if;
  for v_item in
    select i.*, row_number() over (partition by i.chain order by i.n) as nth
    from (
      select i.n, i.chain, i.reason from json_to_recordset(p_items) as i(n integer, chain uuid, reason text, own boolean)
      union all select null, w.id, null from unnest(v_more) as w(id) where w.id <> all(v_items)) i
    order by i.chain, i.n
  loop
    if v_item.nth = 1 then
      select f.job_id, f.refusal into v_found from "chainwright".open_step_v1(v_item.chain, null) f;
    else
      select null::uuid as job_id, json_build_object('code', 'chain-not-active', 'id', v_item.chain, 'actual', 'cancelled')::text as refusal
      into v_found;
    end if;
    if v_item.n is null then
      v_locked := v_locked || v_item.chain;
    elsif v_found.refusal is null then
      v_n := v_n || v_item.n;
      v_job := v_job || v_found.job_id;
      v_chain := v_chain || v_item.chain;
      v_reason := v_reason || v_item.reason;
    elsif v_refused is null or v_item.n < v_refused then
      v_refused := v_item.n;
      v_refusal := v_found.refusal;
    end if;
  end loop;
  if v_refusal is not null then
    return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal, null::text, null::text, null::text;
    return;
  end if;
  if v_own is not null then
    loop
      select b.n, b.chains into v_with_n, v_with from "chainwright".own_blockers_v1(v_own_n, v_own) b;
      v_more := array(select w.id from unnest(v_with) as w(id) where w.id <> all(v_locked) and w.id <> all(v_items) order by w.id);
      exit when v_more = '{}';
      perform "chainwright".open_step_v1(w.id, null) from unnest(v_more) as w(id);
      v_locked := v_locked || v_more;
    end loop;
  end if;
  v_closed := '{}';
  for v_item in select c.id from unnest(v_chain || v_with) as c(id) order by c.id loop
      if coalesce(cardinality(v_closed), 0) < 100 then
        perform pg_advisory_xact_lock(uuid_hash_extended(v_item.id, 7236541));
      end if;
    v_closed := v_closed || v_item.id;
  end loop;
  if v_with <> '{}' then
    perform from "chainwright".job f where f.id = any(v_chain || v_with) order by f.id for no key update;
    select coalesce(array_agg(o.job_id order by w.nth), '{}'), coalesce(array_agg(w.id order by w.nth), '{}'), array_agg(w.n order by w.nth)
    into v_with_job, v_with, v_with_n
    from unnest(v_with, v_with_n) with ordinality as w(id, n, nth)
    cross join lateral (
      select o.job_id from "chainwright".open_job o where o.job_id = coalesce((select j.id from "chainwright".job j where j.chain_id = w.id and j.step > 1 order by j.step desc limit 1), w.id) and o.attempt >= 0 offset 0) o;
    v_more := "chainwright".unneeded_v1(v_job, v_with, v_with_job);
    select v_n || array_agg(w.n order by w.nth), v_job || array_agg(w.job_id order by w.nth),
      v_reason || array_agg(i.reason order by w.nth)
    into v_n, v_job, v_reason
    from unnest(v_with, v_with_n, v_with_job) with ordinality as w(id, n, job_id, nth)
    join json_to_recordset(p_items) as i(n integer, chain uuid, reason text, own boolean) on i.n = w.n
    where w.id = any(v_more);
  end if;
  with gone as (
    delete from "chainwright".open_job o using unnest(v_n, v_job, v_reason) as i(n, job_id, reason) where o.job_id = any(array[i.job_id])
    returning i.n, i.reason, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, o.leased_by,
      o.leased_until, o.on_end, case when o.lane is not null then "chainwright".leave_lane_v1(o.job_id, o.state, o.lane_holds, o.lane, o.type_name, o.rank, o.position) end, case when o.waits then "chainwright".leave_topics_v1(o.job_id) end)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.attempt),
    array_agg(g.fence), array_agg(g.leased_by), array_agg(g.reason), array_agg(g.leased_until),
    array_agg(g.job_id) filter (where g.on_end)
  into v_n, v_job, v_chain, v_type, v_attempt, v_fence, v_by, v_reason, v_until, v_marked
  from gone g;
  select c.broken, c.broken_n into v_broken, v_broken_n
  from "chainwright".end_v1(p_now, v_n, v_job, v_chain, v_type, array_fill(3::smallint, array[cardinality(v_n)]), null, null, null,
    v_attempt, v_fence, null, null, null, v_reason) c;
  return query
  select 'cancelled', c.n, f.version::integer, null::integer, null::integer, c.job_id, c.chain_id, null::bigint, null::bigint, c.type_name, c.leased_by, f.type_name::text, f.input
  from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
  join "chainwright".job f on f.id = any(array[c.chain_id])
  where c.chain_id = any(v_items)
  order by c.n;
  if v_with <> '{}' then
    return query
    select 'alsoCancelled', c.n, null::integer, null::integer, null::integer, c.job_id, c.chain_id, null::bigint, null::bigint, c.type_name, c.leased_by, null::text, null::text
    from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
    where c.chain_id <> all(v_items);
  end if;
  if v_marked is not null then
    return query
    select f.* from (
      select array_agg(i.n order by i.n) as n, array_agg(i.job_id order by i.n) as jobs, array_agg(i.until order by i.n) as until
      from unnest(v_n, v_job, v_until) as i(n, job_id, until) where i.job_id = any(v_marked)) i,
      lateral "chainwright".follow_ends_v1(p_now, i.n, i.jobs, i.until) f;
  end if;
  if v_broken is not null then
    return query select * from "chainwright".release_v1(p_now, null, null, v_broken, v_broken_n);
  end if;
end $body$;

create or replace function "chainwright".cancel_v1(p_alone text, p_now text, p_items text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  return query select * from "chainwright".cancel_chains_v1(v_now, p_items::json);
end $body$;

create or replace function "chainwright".expire_chains_v1(p_alone text, p_now text, p_first text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_n integer := p_first::integer;
  v_wait text := current_setting('lock_timeout');
  v_chain uuid;
  v_chains uuid[];
  v_locked uuid[] := '{}';
  v_next double precision;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  v_chains := array(
    select d.chain_id
    from "chainwright".deadline d join "chainwright".open_job o on o.job_id = any(array[coalesce((select j.id from "chainwright".job j where j.chain_id = d.chain_id and j.step > 1 order by j.step desc limit 1), d.chain_id)])
    where d.at <= v_now order by d.at limit 50 for update of o skip locked);
  foreach v_chain in array v_chains loop
    begin
      -- Locks of other rows than the open job's: of blockers of the chain, and of first rows.
      perform set_config('lock_timeout', '1', true);
      return query select * from "chainwright".cancel_chains_v1(v_now,
        json_build_array(json_build_object('n', v_n, 'chain', v_chain, 'reason', E'deadline', 'own', true)));
      perform set_config('lock_timeout', v_wait, true);
      v_n := v_n + 1;
    exception when lock_not_available or deadlock_detected then
      v_locked := v_locked || v_chain;
    end;
  end loop;
  select d.at into v_next from "chainwright".deadline d where d.chain_id <> all(v_locked) order by d.at limit 1;
  if v_next <= v_now and cardinality(v_chains) < 50 then
    v_next := v_now + 200;
  elsif v_locked <> '{}' then
    v_next := least(v_next, v_now + 200);
  end if;
  if v_next is not null then
    return query select 'nextDue', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_next - v_now)::bigint, null::bigint, null::text, null::text, null::text, null::text;
  end if;
end $body$;

create or replace function "chainwright".begun_follow_ups_v1(p_chain uuid) returns uuid[]
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_followers uuid[] := array(
    select c.follower from "chainwright".compensation c where c.chain_id = p_chain and c.follower is not null order by c.step desc, c.position desc);
  v_free uuid[];
begin
  v_free := array(
    select o.job_id from "chainwright".open_job o where o.job_id = any(v_followers) order by o.job_id for update);
  v_free := array(select o.job_id from "chainwright".open_job o where o.job_id = any(v_free) and o.fence = 0);
  return array(select f.id from unnest(v_followers) with ordinality as f(id, n) where f.id <> all(v_free) order by f.n);
end $body$;

create or replace function "chainwright".withdraw_follow_ups_v1(p_now double precision, p_chain uuid, p_n integer) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_job uuid[];
  v_type text[];
  v_attempt integer[];
  v_fence integer[];
  v_broken uuid[];
  v_broken_n integer[];
begin
  with gone as (
    delete from "chainwright".open_job o
    where o.job_id = any(array(select c.follower from "chainwright".compensation c where c.chain_id = p_chain and c.follower is not null))
    returning o.job_id, o.position, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, case when o.lane is not null then "chainwright".leave_lane_v1(o.job_id, o.state, o.lane_holds, o.lane, o.type_name, o.rank, o.position) end)
  select array_agg(g.job_id order by g.position), array_agg(g.type_name order by g.position), array_agg(g.attempt order by g.position),
    array_agg(g.fence order by g.position)
  into v_job, v_type, v_attempt, v_fence
  from gone g;
  if v_job is null then
    return;
  end if;
  update "chainwright".compensation c set follower = null where c.chain_id = p_chain;
  -- What would follow them.
  delete from "chainwright".compensation c where c.chain_id = any(v_job);
  select c.broken, c.broken_n into v_broken, v_broken_n
  from "chainwright".end_v1(p_now, array_fill(p_n, array[cardinality(v_job)]), v_job, v_job, v_type,
    array_fill(3::smallint, array[cardinality(v_job)]), null, null, null, v_attempt, v_fence, null, null, null,
    array_fill(E'the chain that it follows was retried'::text, array[cardinality(v_job)])) c;
  return query
  select 'withdrawn', p_n, null::integer, null::integer, null::integer, c.job_id, c.job_id, null::bigint, null::bigint, c.type_name, null::text, null::text, null::text
  from unnest(v_job, v_type) with ordinality as c(job_id, type_name, nth) order by c.nth;
  if v_broken is not null then
    return query select * from "chainwright".release_v1(p_now, null, null, v_broken, v_broken_n);
  end if;
end $body$;

create or replace function "chainwright".reopen_ends_v1(p_job uuid, p_chain uuid, p_step integer) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_passed uuid;
begin
  for v_passed in
    select b.chain_id from "chainwright".blocker b join "chainwright".job f on f.id = any(array[b.chain_id])
    where b.job_id = p_job and b.passes and f.chain_status = 1 group by b.chain_id order by min(b.position)
  loop
    update "chainwright".blocker b set passes = null where b.job_id = p_job and b.chain_id = v_passed;
    insert into "chainwright".compensation (chain_id, step, position, body)
    select p_chain, p_step, nextval(E'"chainwright".position'), c.body
    from (select c.body from "chainwright".compensation c where c.chain_id = v_passed order by c.step, c.position) c;
    delete from "chainwright".compensation c where c.chain_id = v_passed;
  end loop;
  update "chainwright".open_job o set on_end = true
  where o.job_id = p_job and exists (select from "chainwright".compensation c where c.chain_id = p_chain);
end $body$;

create or replace function "chainwright".blocker_states_v1(p_job uuid, out open_chains integer, out broken uuid[], out has_blockers boolean) returns record
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  perform from "chainwright".job f
  where f.id = any(array(select b.chain_id from "chainwright".blocker b where b.job_id = p_job))
  order by f.id for share;
  select count(*) filter (where c.chain_status <> 1), array_agg(c.chain_id order by c.position) filter (where c.chain_status > 1),
    count(*) > 0
  into open_chains, broken, has_blockers
  from (
    select b.chain_id, f.chain_status, min(b.position) as position
    from "chainwright".blocker b join "chainwright".job f on f.id = any(array[b.chain_id]) where b.job_id = p_job
    group by b.chain_id, f.chain_status) c;
end $body$;

create or replace function "chainwright".retake_key_v1(p_now double precision, p_chain uuid) returns uuid
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_chain "chainwright".job%rowtype;
  v_holder uuid;
begin
  select * into v_chain from "chainwright".job f where f.id = p_chain;
  if v_chain.key is null or v_chain.key_scope > 1 or v_chain.key_until <= p_now then
    return null;
  end if;
  loop
    insert into "chainwright".deduplication (key, chain_id, scope, until)
    values (v_chain.key, p_chain, v_chain.key_scope, v_chain.key_until) on conflict (key) do nothing;
    exit when found;
    update "chainwright".deduplication d set chain_id = p_chain, scope = v_chain.key_scope, until = v_chain.key_until
    where d.key = v_chain.key and d.until <= p_now;
    exit when found;
    select d.chain_id into v_holder from "chainwright".deduplication d where d.key = v_chain.key;
    if found then
      return nullif(v_holder, p_chain);
    end if;
  end loop;
  return null;
end $body$;

create or replace function "chainwright".reopen_v1(p_now double precision, p_job uuid, p_open_chains integer, p_has_blockers boolean, p_due_at double precision) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_job "chainwright".job%rowtype;
  v_waits boolean;
  v_on_end boolean;
begin
  select * into v_job from "chainwright".job j where j.id = p_job;
  if v_job.waits is not null then
    v_waits := coalesce(v_job.due_at > p_now, true) and not "chainwright".ends_wait_v1(v_job.waits::json,
      array(select r.signal->>'signal' from json_array_elements(v_job.received::json) with ordinality as r(signal, n) order by r.n));
    p_due_at := case when v_waits then coalesce(v_job.due_at, p_due_at) else p_due_at end;
  end if;
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, fence, blockers_left, state, rank,
    has_blockers, type_name, waits, noted, lane, lane_weight, lane_holds)
  values (v_job.id, v_job.chain_id, v_job.position, p_due_at, 0, v_job.step, 0, v_job.fence, p_open_chains,
    case when p_open_chains > 0 or v_waits and v_job.due_at is null then 2 when p_due_at > p_now or v_job.limits is not null then 1 else 0 end, ~v_job.priority, p_has_blockers,
    v_job.type_name || case when v_job.version is null and v_job.pool is null then '' else
    E'\x01' || coalesce('#' || v_job.version, '') || coalesce('@' || v_job.pool, '') end, v_waits, (select true from "chainwright".memo m where m.job_id = p_job limit 1), (v_job.limits::json->>'lane')::uuid, (v_job.limits::json->>'weight')::smallint, (v_job.limits::json->>'holds')::boolean);
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_job.type_name, v_job.status, -1);
  delete from "chainwright".stopped k where k.job_id = p_job;
  delete from "chainwright".failure k where k.chain_id = v_job.chain_id;
  -- Retention may have passed the chain already. The sum keeps the planner from the index by kinds.
  delete from "chainwright".expiry x where x.chain_id = v_job.chain_id and x.kind + 0 = 2;
  insert into "chainwright".expiry (chain_id, kind, since) values (v_job.chain_id, 1, p_now)
  on conflict (chain_id, kind) do update set since = excluded.since;
  delete from "chainwright".release r where r.chain_id = v_job.chain_id;
  -- The job no longer waits for chains that have completed, even if their release has not reached it yet.
  update "chainwright".blocker b set counted = false
  from "chainwright".job f where b.job_id = p_job and b.counted and f.id = any(array[b.chain_id]) and f.chain_status = 1;
  update "chainwright".job j set status = 0, attempt = 0, started_at = null, ended_at = null, ended_by = null, failed_by = null
  where j.id = p_job;
  update "chainwright".job f set chain_status = 0, ended_job_id = null, reason = null where f.id = v_job.chain_id
  returning f.on_end into v_on_end;
  if v_on_end or p_has_blockers then
    perform "chainwright".reopen_ends_v1(p_job, v_job.chain_id, v_job.step);
  end if;
  if v_waits then
    perform "chainwright".lock_topics_v1(array(select json_array_elements_text(v_job.waits::json->'topics')), false, false);
    perform "chainwright".begin_wait_v1(p_now, p_job);
  end if;
end $body$;

create or replace function "chainwright".reblock_v1(p_now double precision, p_chain uuid, p_n integer) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_chains uuid[] := array[p_chain];
  v_next uuid[];
  v_stopped record;
  v_on_end boolean;
  v_job record;
  v_waits record;
begin
  while v_chains is not null loop
    v_next := null;
    for v_stopped in
      select j.id, j.chain_id
      from "chainwright".job j
      where j.id = any(array(select b.job_id from "chainwright".blocker b where b.chain_id = any(v_chains)))
        and j.status = 2 and j.failed_by = any(v_chains)
      order by j.id
    loop
      select f.on_end into v_on_end from "chainwright".job f where f.id = v_stopped.chain_id for no key update;
      -- Look again: the job may have been deleted or retried before its chain was locked.
      select j.id, j.chain_id, j.type_name, j.due_at, j.ended_at into v_job
      from "chainwright".job j where j.id = v_stopped.id and j.status = 2 and j.failed_by = any(v_chains);
      continue when not found;
      select * into v_waits from "chainwright".blocker_states_v1(v_job.id);
      if v_waits.broken is not null then
        update "chainwright".job j set failed_by = f.id, errors = replace(replace(replace(case f.chain_status when 2 then E'[{"attempt":0,"at":-1,"workerId":"","name":"blocker-failed","message":"blocker chain \\u0001chain (\\u0001type) failed"}]' else E'[{"attempt":0,"at":-1,"workerId":"","name":"blocker-failed","message":"blocker chain \\u0001chain (\\u0001type) was cancelled"}]' end,
        E'-1', (v_job.ended_at)::bigint::text), E'\\u0001chain', f.chain_id::text),
        E'\\u0001type', substr(to_json(f.type_name)::text, 2, length(to_json(f.type_name)::text) - 2))
        from "chainwright".job f where j.id = v_job.id and f.id = v_waits.broken[1];
        continue;
      end if;
      if v_on_end then
        continue when "chainwright".begun_follow_ups_v1(v_job.chain_id) <> '{}';
      end if;
      continue when "chainwright".retake_key_v1(p_now, v_job.chain_id) is not null;
      perform "chainwright".reopen_v1(p_now, v_job.id, v_waits.open_chains, true, greatest(p_now, v_job.due_at));
      v_next := v_next || v_job.chain_id;
      if v_on_end then
        return query select * from "chainwright".withdraw_follow_ups_v1(p_now, v_job.chain_id, p_n);
      end if;
      return query select 'reblocked', p_n, null::integer, null::integer, null::integer, v_job.id, v_job.chain_id, null::bigint, null::bigint, v_job.type_name::text, null::text, null::text, null::text;
    end loop;
    v_chains := v_next;
  end loop;
end $body$;

create or replace function "chainwright".retry_v1(p_alone text, p_now text, p_items text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_item record;
  v_first "chainwright".job%rowtype;
  v_last "chainwright".job%rowtype;
  v_holder uuid;
  v_waits record;
  v_jobs uuid[] := '{}';
  v_was text[] := '{}';
  v_blocked boolean[] := '{}';
  v_begun uuid[];
  v_refusal text;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  begin
    perform from "chainwright".job f where f.id = any(array(select i.chain from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint, limits json))) order by f.id for no key update;
    -- Reopen all of them before looking at blockers, because one may have failed because of another one of the call.
    for v_item in select * from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint, limits json) order by i.n loop
      -- Make the chain active again, whatever its blockers are.
      select * into v_first from "chainwright".job f where f.id = v_item.chain and f.chain_status is not null;
      if not found then
        raise exception 'refused' using errcode = 'CW001', detail = json_build_object('code', 'chain-not-found',
          'id', v_item.chain, 'actual', null)::text;
      end if;
      v_was := v_was || (array['active', 'completed', 'failed', 'cancelled'])[v_first.chain_status + 1];
      if v_first.chain_status < 2 then
        raise exception 'refused' using errcode = 'CW001', detail = json_build_object('code', 'chain-not-retryable',
          'id', v_item.chain, 'actual', v_was[v_item.n + 1])::text;
      end if;
      select * into v_last from "chainwright".job j where j.id = v_first.ended_job_id;
      if v_last.type_name <> v_item.type then
        raise exception 'refused' using errcode = 'CW001', detail = json_build_object('code', 'job-type-mismatch',
          'id', v_item.chain, 'actual', v_last.type_name)::text;
      end if;
      v_holder := "chainwright".retake_key_v1(v_now, v_first.id);
      if v_holder is not null then
        raise exception 'refused' using errcode = 'CW001', detail = json_build_object('code', 'chain-not-retryable',
          'id', v_item.chain, 'actual', v_was[v_item.n + 1], 'references', json_build_array(v_holder))::text;
      end if;
      if v_first.on_end then
        v_begun := "chainwright".begun_follow_ups_v1(v_first.id);
        if v_begun <> '{}' then
          raise exception 'refused' using errcode = 'CW001', detail = json_build_object('code', 'chain-not-retryable',
          'id', v_item.chain, 'actual', v_was[v_item.n + 1], 'references', to_json(v_begun))::text;
        end if;
      end if;
      select * into v_waits from "chainwright".blocker_states_v1(v_last.id);
      if v_item.input is not null then
        update "chainwright".job j set input = v_item.input, version = nullif(v_item.version, 1), limits = v_item.limits::text where j.id = v_last.id;
      end if;
      perform "chainwright".reopen_v1(v_now, v_last.id, v_waits.open_chains, v_waits.has_blockers, v_now);
      if v_first.on_end then
        return query select * from "chainwright".withdraw_follow_ups_v1(v_now, v_first.id, v_item.n);
      end if;
      v_jobs := v_jobs || v_last.id;
      v_blocked := v_blocked || (v_waits.open_chains > 0);
    end loop;
    for v_item in select * from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint, limits json) order by i.n loop
      select * into v_last from "chainwright".job j where j.id = v_jobs[v_item.n + 1];
      return query select 'retried', v_item.n, null::integer, null::integer, null::integer, v_last.id, v_item.chain, (case when v_last.waits is not null then (
          select o.due_at - v_now from "chainwright".open_job o where o.job_id = v_last.id and o.state + 0 = 1 and o.waits) end)::bigint, null::bigint, v_last.type_name::text, case when v_blocked[v_item.n + 1] then 'blocked' when v_last.waits is null then 'ready'
          else (select case when o.job_id is null then 'failed' when o.waits and (o.state = 2 or o.due_at > v_now) then 'waiting' when o.state = 2 then 'blocked' when o.state = 1 and o.due_at > v_now then 'scheduled'
      else 'ready' end from "chainwright".open_job o where o.job_id = v_last.id) end, v_last.type_name || case when v_last.version is null and v_last.pool is null then '' else
    E'\x01' || coalesce('#' || v_last.version, '') || coalesce('@' || v_last.pool, '') end, null::text;
      return query select * from "chainwright".reblock_v1(v_now, v_item.chain, v_item.n);
    end loop;
    for v_item in select * from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint, limits json) order by i.n loop
      select * into v_last from "chainwright".job j where j.id = v_jobs[v_item.n + 1];
      continue when v_last.on_blocker_failure <> 0 or not v_blocked[v_item.n + 1];
      select * into v_waits from "chainwright".blocker_states_v1(v_last.id);
      if v_waits.broken is not null then
        raise exception 'refused' using errcode = 'CW001', detail = json_build_object('code', 'chain-not-retryable',
          'id', v_item.chain, 'actual', v_was[v_item.n + 1], 'references', (select json_agg(b order by b) from unnest(v_waits.broken) b))::text;
      end if;
    end loop;
  exception when sqlstate 'CW001' then
    get stacked diagnostics v_refusal = pg_exception_detail;
  end;
  if v_refusal is not null then
    return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal, null::text, null::text, null::text;
  end if;
end $body$;

create or replace function "chainwright".hold_chains_v1(p_chains uuid[]) returns uuid[]
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_chain uuid;
  v_job uuid;
  v_jobs uuid[];
  v_found uuid[];
begin
  loop
    v_jobs := '{}';
    for v_chain in select c.id from unnest(p_chains) as c(id) order by c.id loop
      begin
        select f.job_id into v_job from "chainwright".open_step_v1(v_chain, null) f where f.refusal is null;
        v_jobs := v_jobs || v_job;
      exception when data_corrupted then
        -- It is active and has no open job: lock its first row only.
      end;
    end loop;
    v_found := array(
      select f.id from "chainwright".job f where f.id = any(p_chains) and f.chain_status is not null order by f.id for update);
    -- A chain that had ended may have been retried before its first row was locked.
    exit when not exists (
      select from "chainwright".open_job o
      where o.job_id = any(array(
        select coalesce((select j.id from "chainwright".job j where j.chain_id = f.id and j.step > 1 order by j.step desc limit 1), f.id)
        from "chainwright".job f where f.id = any(v_found) and f.chain_status = 0))
        and o.job_id <> all(array_remove(v_jobs, null)));
  end loop;
  return v_found;
end $body$;

create or replace function "chainwright".delete_chains_v1(p_chains uuid[]) returns table(job_id uuid, chain_id uuid, worker_id text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_jobs uuid[];
  v_needed uuid[];
  v_passing uuid[];
  v_logged uuid[];
begin
  v_jobs := p_chains || array(select j.id from "chainwright".job j where j.chain_id = any(p_chains) and j.step > 1);
  return query
  with gone as (
    delete from "chainwright".open_job o where o.job_id = any(v_jobs) returning o.job_id, o.chain_id, o.leased_by, case when o.lane is not null then "chainwright".leave_lane_v1(o.job_id, o.state, o.lane_holds, o.lane, o.type_name, o.rank, o.position) end, case when o.waits then "chainwright".leave_topics_v1(o.job_id) end)
  select g.job_id, g.chain_id, g.leased_by::text from gone g where g.leased_by is not null;
  delete from "chainwright".stopped k where k.chain_id = any(p_chains);
  delete from "chainwright".failure k where k.chain_id = any(p_chains);
  delete from "chainwright".expiry x where x.chain_id = any(p_chains);
  -- Retention looks again at the blockers of these chains: they may have expired while they were needed.
  with gone as (
    delete from "chainwright".blocker b where b.job_id = any(v_jobs) returning b.chain_id, b.passes)
  select array_agg(g.chain_id), array_agg(g.chain_id) filter (where g.passes) into v_needed, v_passing from gone g;
  if v_needed is not null then
    update "chainwright".expiry x set since = least(x.since, u.reached)
    from "chainwright".upkeep u
    where u.chore = 'expiry ' || x.kind and x.ctid = any(array(
      select p.ctid from "chainwright".expiry p where p.chain_id = any(v_needed) for update skip locked));
  end if;
  if v_passing is not null then
    -- They have completed, and the chain to which their compensations would pass is deleted.
    delete from "chainwright".compensation c where c.chain_id = any(v_passing);
  end if;
  delete from "chainwright".blocker b where b.chain_id = any(p_chains);
  delete from "chainwright".release r where r.chain_id = any(p_chains);
  delete from "chainwright".signal g where g.chain_id = any(p_chains);
  delete from "chainwright".compensation c where c.chain_id = any(p_chains);
  delete from "chainwright".deadline d where d.chain_id = any(p_chains);
  delete from "chainwright".memo m where m.job_id = any(v_jobs);
  with gone as (
    delete from "chainwright".progress p where p.job_id = any(v_jobs) returning p.job_id, p.lines)
  select array_agg(g.job_id) filter (where g.lines > 0) into v_logged from gone g;
  if v_logged is not null then
    delete from "chainwright".log_line l where l.job_id = any(v_logged);
  end if;
  delete from "chainwright".deduplication d using (select f.id, f.key || case f.key_scope when 2 then 'debounce' when 3 then 'throttle' else '' end as key from "chainwright".job f where f.id = any(p_chains) offset 0) f where d.key = any(array[f.key]) and d.chain_id = f.id;
  delete from "chainwright".tag g using "chainwright".job f cross join jsonb_each_text(f.tags::jsonb) t
  where f.id = any(p_chains) and f.tags is not null
    and g.name = any(array[t.key]) and g.value = any(array[t.value]) and g.chain_id = f.id;
  with gone as (
    delete from "chainwright".job j where j.id = any(v_jobs) returning j.type_name, j.status)
  insert into "chainwright".tally_change (n, type_name, status, count)
  select nextval(E'"chainwright".position'), g.type_name, g.status, -g.count
  from (select g.type_name, g.status, count(*) as count from gone g where g.status > 0 group by g.type_name, g.status) g;
end $body$;

create or replace function "chainwright".remove_v1(p_alone text, p_now text, p_chains text, p_cascade text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_chains uuid[] := array(
    select e.id::uuid from json_array_elements_text(p_chains::json) with ordinality as e(id, n) order by e.n);
  v_edge uuid[];
  v_next uuid[];
  v_bad record;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  v_edge := "chainwright".hold_chains_v1(v_chains);
  select c.id into v_bad from unnest(v_chains) with ordinality as c(id, n) where c.id <> all(v_edge) order by c.n limit 1;
  if found then
    return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'chain-not-found', 'id', v_bad.id)::text, null::text, null::text, null::text;
    return;
  end if;
  loop
    v_next := array(select j.chain_id from (
        select d.chain_id, min(d.nth) as nth from (
          select j.chain_id, 0 as nth from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
          where b.chain_id = any(v_edge) and j.status <> 1
          union all select x.id, x.position from "chainwright".compensation c join "chainwright".job x on x.id = any(array[c.follower])
          where c.chain_id = any(v_edge) and x.chain_status = 0) d
        group by d.chain_id) j
      where true and j.chain_id <> all(v_chains));
    exit when v_next = '{}';
    if p_cascade is null then
      select e.id, (
        select json_agg(r.chain_id) from (select j.chain_id from (
        select d.chain_id, min(d.nth) as nth from (
          select j.chain_id, 0 as nth from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
          where b.chain_id = any(array[e.id]) and j.status <> 1
          union all select x.id, x.position from "chainwright".compensation c join "chainwright".job x on x.id = any(array[c.follower])
          where c.chain_id = any(array[e.id]) and x.chain_status = 0) d
        group by d.chain_id) j
      where true and j.chain_id <> all(v_chains) order by j.nth, j.chain_id limit 100) r) as chains
      into v_bad
      from unnest(v_chains) with ordinality as e(id, n)
      where exists (select j.chain_id from (
        select d.chain_id, min(d.nth) as nth from (
          select j.chain_id, 0 as nth from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
          where b.chain_id = any(array[e.id]) and j.status <> 1
          union all select x.id, x.position from "chainwright".compensation c join "chainwright".job x on x.id = any(array[c.follower])
          where c.chain_id = any(array[e.id]) and x.chain_status = 0) d
        group by d.chain_id) j
      where true and j.chain_id <> all(v_chains))
      order by e.n limit 1;
      return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'chain-referenced', 'id', v_bad.id, 'references', v_bad.chains)::text, null::text, null::text, null::text;
      return;
    end if;
    v_next := "chainwright".hold_chains_v1(v_next);
    v_edge := array(select j.chain_id from (
        select d.chain_id, min(d.nth) as nth from (
          select j.chain_id, 0 as nth from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
          where b.chain_id = any(v_edge) and j.status <> 1
          union all select x.id, x.position from "chainwright".compensation c join "chainwright".job x on x.id = any(array[c.follower])
          where c.chain_id = any(v_edge) and x.chain_status = 0) d
        group by d.chain_id) j
      where true and j.chain_id = any(v_next));
    v_chains := v_chains || v_edge;
  end loop;
  return query
  select 'removed', null::integer, null::integer, null::integer, null::integer, f.id, null::uuid, null::bigint, null::bigint, f.type_name, null::text, null::text, null::text
  from unnest(v_chains) with ordinality as c(id, n) join "chainwright".job f on f.id = any(array[c.id])
  order by c.n;
  return query
  select 'interrupted', null::integer, null::integer, null::integer, null::integer, d.job_id, d.chain_id, null::bigint, null::bigint, d.worker_id, null::text, null::text, null::text
  from "chainwright".delete_chains_v1(v_chains) d;
end $body$;

create or replace function "chainwright".settled_position_v1() returns bigint
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_noted record;
  v_next bigint;
  v_oldest xid8;
  v_newest xid8;
begin
  select m.settled_position, m.noted_position, m.noted_xid into v_noted from "chainwright".meta m for update skip locked;
  if not found then
    return (select m.settled_position from "chainwright".meta m);
  end if;
  select pg_snapshot_xmin(pg_current_snapshot()), pg_snapshot_xmax(pg_current_snapshot()) into v_oldest, v_newest;
  if v_noted.noted_xid > v_oldest and v_noted.noted_xid <= v_newest then
    return v_noted.settled_position;
  end if;
  v_next := nextval(E'"chainwright".position');
  select pg_snapshot_xmax(pg_current_snapshot()) into v_newest;
  update "chainwright".meta m set settled_position = m.noted_position, noted_position = v_next, noted_xid = v_newest;
  return v_noted.noted_position;
end $body$;

create or replace function "chainwright".expire_v1(p_now double precision, p_completed_until double precision, p_failed_until double precision, p_chains uuid[]) returns integer
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_chains uuid[];
begin
  -- First the lock, which retries and starts that wait for the chain take as well, then the conditions.
  v_chains := array(
    select f.id from "chainwright".job f where f.id = any(p_chains) and f.chain_status > 0 order by f.id for update skip locked);
  v_chains := array(
    select f.id from "chainwright".job f join "chainwright".job e on e.id = any(array[f.ended_job_id])
    where f.id = any(v_chains) and e.ended_at <= case f.chain_status when 2 then p_failed_until else p_completed_until end
      and (
        select true from "chainwright".blocker b
        where b.chain_id = f.id and (select j.status from "chainwright".job j where j.id = b.job_id) <> 1 limit 1) is null
      and (f.on_end is null or not exists (
        select from "chainwright".compensation c join "chainwright".job x on x.id = any(array[c.follower])
        where c.chain_id = any(array[f.id]) and x.chain_status = 0)));
  perform "chainwright".delete_chains_v1(v_chains);
  return cardinality(v_chains);
end $body$;

create or replace function "chainwright".keep_entries_v1(v_now double precision, p_until double precision, p_chains uuid[], p_kind integer) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  update "chainwright".expiry x set since = case
        when f.chain_status = 0 then v_now + greatest(0, least(greatest(v_now - f.created_at, 60000), 86400000) - (v_now - p_until))
        when e.ended_at > p_until then e.ended_at
        else p_until + least(greatest(v_now - f.created_at, 60000), 86400000) end
  from "chainwright".job f left join "chainwright".job e on e.id = any(array[f.ended_job_id])
  where x.chain_id = any(p_chains) and x.kind + 0 = p_kind and f.id = any(array[x.chain_id])
    and case p_kind when 0 then f.chain_status < 2 when 1 then f.chain_status <> 2 else f.chain_status = 2 end;
  delete from "chainwright".expiry x where x.chain_id = any(p_chains) and x.kind + 0 = p_kind and x.since + 0 <= p_until;
end $body$;

create or replace function "chainwright".retention_v1(p_alone text, p_now text, p_completed_ms text, p_failed_ms text, p_limit text) returns table(removed integer, more integer)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_pass record;
  v_from double precision;
  v_limit integer := p_limit::integer;
  v_completed_until double precision := v_now - p_completed_ms::double precision;
  v_failed_until double precision := v_now - p_failed_ms::double precision;
  v_until double precision;
  v_removed integer := 0;
  v_looked integer := 0;
  v_chains uuid[];
  v_reached double precision;
  v_found integer;
  v_last bigint;
  v_more boolean := false;
  v_ended boolean := false;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  -- One pass at a time: the session that has locked this row may also lock those of the entries.
  perform from "chainwright".upkeep u where u.chore = 'chains' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  for v_kind in 0 .. 2 loop
    v_until := case v_kind when 2 then v_failed_until else v_completed_until end;
    continue when v_until is null;
  select * into v_pass from "chainwright".upkeep u where u.chore = 'expiry ' || v_kind for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and 30000 then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;
  end if;
  v_from := v_pass.reached;
    select array_agg(e.chain_id), max(e.since) into v_chains, v_reached
    from (
      select e.chain_id, e.since from "chainwright".expiry e
      where e.kind = v_kind and e.since >= v_from and e.since <= v_until
      order by e.since limit v_limit - v_removed for update skip locked) e;
    if v_chains is not null then
      v_more := v_more or cardinality(v_chains) >= v_limit - v_removed;
      v_removed := v_removed + "chainwright".expire_v1(v_now, v_completed_until, v_failed_until, v_chains);
      perform "chainwright".keep_entries_v1(v_now, v_until, v_chains, v_kind);
    end if;
  update "chainwright".upkeep u set began_at = v_pass.began_at, reached = coalesce(v_reached, v_from)
  where u.chore = 'expiry ' || v_kind;
  end loop;
  if v_completed_until is not null then
  select * into v_pass from "chainwright".upkeep u where u.chore = 'chains' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and 30000 then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;
    v_pass.settled := "chainwright".settled_position_v1();
  end if;
  v_from := v_pass.reached;
    v_last := v_from;
    while v_removed < v_limit and v_looked < 4 * v_limit + 1000 loop
      -- Chains from a clock that was ahead are treated like old ones.
      select array_agg(c.id) filter (where c.position <= c.last), max(c.last), count(*) filter (where c.position <= c.last)
      into v_chains, v_reached, v_found
      from (
        select f.id, f.position, max(f.position) filter (where f.created_at <= v_completed_until or f.created_at > v_now) over () as last
        from (
          select f.id, f.position, f.created_at from "chainwright".job f where f.step = 1 and f.position > v_last
          order by f.position limit least(v_limit - v_removed, 500)) f) c;
      if v_found = 0 then
        v_ended := true;
        exit;
      end if;
      v_looked := v_looked + v_found;
      v_last := v_reached;
      v_removed := v_removed + "chainwright".expire_v1(v_now, v_completed_until, v_failed_until, v_chains);
      insert into "chainwright".expiry (chain_id, kind, since)
      select f.id, 0, case
        when f.chain_status = 0 then v_now + greatest(0, least(greatest(v_now - f.created_at, 60000), 86400000) - (v_now - v_completed_until))
        when e.ended_at > v_completed_until then e.ended_at
        else v_completed_until + least(greatest(v_now - f.created_at, 60000), 86400000) end
      from "chainwright".job f left join "chainwright".job e on e.id = any(array[f.ended_job_id])
      where f.id = any(v_chains) and f.chain_status < 2
      on conflict (chain_id, kind) do nothing;
    end loop;
    v_more := v_more or not v_ended;
  update "chainwright".upkeep u set began_at = v_pass.began_at, reached = v_last, settled = v_pass.settled, floor = greatest(u.floor, least(v_last, v_pass.settled))
  where u.chore = 'chains';
  end if;
  return query select v_removed, (v_more or v_removed >= v_limit)::integer;
end $body$;

create or replace function "chainwright".forget_ticks_v1(v_now double precision, p_limit integer) returns table(removed integer, more integer)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_pass record;
  v_from double precision;
  v_schedules text[];
  v_ats double precision[];
  v_locked text[];
  v_busy text[];
  v_reached double precision;
begin
  select * into v_pass from "chainwright".upkeep u where u.chore = 'ticks' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and 30000 then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;
  end if;
  v_from := v_pass.reached;
  select array_agg(t.schedule_id), array_agg(t.at), max(t.made_at) into v_schedules, v_ats, v_reached
  from (
    select t.schedule_id, t.at, t.made_at from "chainwright".tick t
    where t.made_at >= v_from and t.made_at <= v_now - 1209600000
    order by t.made_at limit p_limit) t;
  if v_schedules is not null then
    v_locked := array(
      select s.id from "chainwright".schedule s where s.id = any(v_schedules) order by s.id for update skip locked);
    v_busy := array(select s.id from "chainwright".schedule s where s.id = any(v_schedules) and s.id <> all(v_locked));
    with gone as (
      delete from "chainwright".tick t using unnest(v_schedules, v_ats) as o(schedule_id, at)
      where t.schedule_id = any(array[o.schedule_id]) and t.at = any(array[o.at]) and o.schedule_id <> all(v_busy)
      returning t.schedule_id, t.at)
    update "chainwright".schedule s
    set forgotten_from = least(s.forgotten_from, g.first), forgotten_until = greatest(s.forgotten_until, g.last)
    from (select g.schedule_id, min(g.at) as first, max(g.at) as last from gone g group by g.schedule_id) g
    where s.id = any(array[g.schedule_id]);
  end if;
  update "chainwright".upkeep u set began_at = v_pass.began_at, reached = coalesce(v_reached, v_from)
  where u.chore = 'ticks';
  return query select 0, (coalesce(cardinality(v_ats), 0) >= p_limit)::integer;
end $body$;

create or replace function "chainwright".forget_publications_v1(v_now double precision, p_limit integer) returns table(removed integer, more integer)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_pass record;
  v_from double precision;
  v_rows tid[];
  v_reached double precision;
begin
  select * into v_pass from "chainwright".upkeep u where u.chore = 'publications' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and 30000 then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;
  end if;
  v_from := v_pass.reached;
  select array_agg(p.at), max(p.until) into v_rows, v_reached
  from (
    select p.ctid as at, p.until from "chainwright".publication p
    where p.until >= v_from and p.until <= v_now order by p.until limit p_limit for update skip locked) p;
  delete from "chainwright".publication p where p.ctid = any(v_rows);
  update "chainwright".upkeep u set began_at = v_pass.began_at, reached = coalesce(v_reached, v_from)
  where u.chore = 'publications';
  return query select 0, (coalesce(cardinality(v_rows), 0) >= p_limit)::integer;
end $body$;

create or replace function "chainwright".forget_notes_v1(p_limit integer) returns table(removed integer, more integer)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_jobs uuid[];
begin
  v_jobs := array(select n.job_id from "chainwright".spent_note n order by n.job_id limit p_limit for update skip locked);
  if v_jobs <> '{}' then
    delete from "chainwright".memo m
    where m.job_id = any(array(select j.id from "chainwright".job j where j.id = any(v_jobs) and j.status = 1));
    delete from "chainwright".spent_note n where n.job_id = any(v_jobs);
  end if;
  return query select 0, (cardinality(v_jobs) >= p_limit)::integer;
end $body$;

create or replace function "chainwright".windows_v1(p_alone text, p_now text, p_limit text) returns table(removed integer, more integer)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_pass record;
  v_from double precision;
  v_keys text[];
  v_reached double precision;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  select * into v_pass from "chainwright".upkeep u where u.chore = 'windows' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and 30000 then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;
  end if;
  v_from := v_pass.reached;
  select array_agg(d.key), max(d.until) into v_keys, v_reached
  from (
    select d.key, d.until from "chainwright".deduplication d where d.until >= v_from and d.until <= v_now
    order by d.until limit p_limit::integer for update skip locked) d;
  delete from "chainwright".deduplication d where d.key = any(v_keys);
  update "chainwright".upkeep u set began_at = v_pass.began_at, reached = coalesce(v_reached, v_from)
  where u.chore = 'windows';
  return query
  select coalesce(cardinality(v_keys), 0), greatest((coalesce(cardinality(v_keys), 0) >= p_limit::integer)::integer, t.more, p.more, m.more)
  from "chainwright".forget_ticks_v1(v_now, p_limit::integer) t, "chainwright".forget_publications_v1(v_now, p_limit::integer) p,
    "chainwright".forget_notes_v1(p_limit::integer) m;
end $body$;

create or replace function "chainwright".workers_v1(p_alone text, p_now text, p_limit text) returns table(removed integer, more integer)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_removed integer;
  v_tidied integer := 0;
  v_repaired integer := 0;
  v_forgotten integer;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  delete from "chainwright".pause p
  where p.type_name = any(array(select r.type_name from "chainwright".pause r where r.until <= v_now order by r.type_name for update skip locked));
  delete from "chainwright".worker w
  where w.id = any(array(
    select p.id from "chainwright".worker p
    where p.id in (
      select x.id from (
        select o.id, o.alive_until, row_number() over (order by o.alive_until desc, o.id) as place
        from "chainwright".worker o where o.alive_until <= v_now) x
      where x.place > 1000 or x.alive_until <= v_now - 86400000)
    order by p.id limit p_limit::integer for update skip locked));
  get diagnostics v_removed = row_count;
  if exists (select from "chainwright".lane) or exists (select from "chainwright".place) or exists (select from "chainwright".parked) or exists (select from "chainwright".gate_rule) then
    v_repaired := "chainwright".repair_places_v1(p_limit::integer);
    v_tidied := "chainwright".tidy_limits_v1(v_now, p_limit::integer);
  end if;
  delete from "chainwright".history h
  where h.ctid = any(array(
    select o.ctid from "chainwright".history o where o.every_ms = 60000 and o.at <= v_now - 7200000
    order by o.at, o.type_name limit p_limit::integer for update skip locked));
  get diagnostics v_forgotten = row_count;
  v_tidied := greatest(v_tidied, v_forgotten);
  delete from "chainwright".history h
  where h.ctid = any(array(
    select o.ctid from "chainwright".history o where o.every_ms = 600000 and o.at <= v_now - 90000000
    order by o.at, o.type_name limit p_limit::integer for update skip locked));
  get diagnostics v_forgotten = row_count;
  v_tidied := greatest(v_tidied, v_forgotten);
  return query select v_repaired, (greatest(v_removed, v_tidied, v_repaired) >= p_limit::integer)::integer;
end $body$;

create or replace function "chainwright".tally_v1(p_alone text, p_now text, p_limit text) returns table(removed integer, more integer)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_pass record;
  v_from double precision;
  v_most integer := 10 * p_limit::integer;
  v_added integer;
  v_reached bigint;
begin
  if p_alone is not null then
    if p_alone <> '0' or current_setting('transaction_isolation') <> 'read committed' then
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'not read committed' using errcode = 'CW002';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;
  select * into v_pass from "chainwright".upkeep u where u.chore = 'tally' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and 30000 then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;
    v_pass.settled := "chainwright".settled_position_v1();
  end if;
  v_from := v_pass.reached;
  with gone as (
    delete from "chainwright".tally_change c
    where c.n > v_from::bigint and c.n <= (
      select max(p.n) from (select p.n from "chainwright".tally_change p where p.n > v_from::bigint order by p.n limit v_most) p)
    returning c.n, c.type_name, c.status, c.count),
  added as (
    insert into "chainwright".tally as t (type_name, status, count)
    select g.type_name, g.status, sum(g.count) from gone g group by g.type_name, g.status order by g.type_name, g.status
    on conflict (type_name, status) do update set count = t.count + excluded.count)
  select count(*), max(g.n) into v_added, v_reached from gone g;
  update "chainwright".upkeep u set began_at = v_pass.began_at, reached = coalesce(v_reached, v_from), settled = v_pass.settled, floor = greatest(u.floor, least(coalesce(v_reached, v_from), v_pass.settled))
  where u.chore = 'tally';
  return query select v_added, (v_added >= v_most)::integer;
end $body$;

create or replace function "chainwright".tallied_v1() returns table(type_name text, status smallint, count numeric)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_floor bigint := (select u.floor from "chainwright".upkeep u where u.chore = 'tally');
begin
  return query
  select t.type_name, t.status, sum(t.count)
  from (
    select t.type_name, t.status, t.count from "chainwright".tally t
    union all
    select c.type_name, c.status, c.count from "chainwright".tally_change c where c.n > v_floor) t
  group by t.type_name, t.status having sum(t.count) <> 0;
end $body$;
