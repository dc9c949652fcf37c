create or replace function "chainwright".note_stopped_v1(p_now double precision, p_job uuid[], p_chain uuid[], p_status smallint[]) returns void
language plpgsql volatile
as $body$
#variable_conflict use_column
declare

begin
  insert into "chainwright".stopped (job_id, chain_id)
  select e.job_id, e.chain_id from unnest(p_job, p_chain, p_status) as e(job_id, chain_id, status) where e.status > 1;
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
    returning j.id, j.chain_status, j.key, j.key_scope, j.awaited),
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

create or replace function "chainwright".release_v1(p_now double precision, p_completed uuid[], p_completed_n integer[], p_broken uuid[], p_broken_n integer[],
  p_completed_from uuid[] default null, p_completed_until uuid[] default null, p_broken_from uuid[] default null,
  p_broken_until uuid[] default null) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
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
    select 'awaited', e.n, null::integer, null::integer, null::integer, e.chain_id, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text
    from unnest(p_completed || p_broken, p_completed_n || p_broken_n) as e(chain_id, n) join "chainwright".job j on j.id = any(array[e.chain_id])
    -- Not where a release is resumed: that was reported when the chain ended.
    where v_from is null and j.awaited and j.chain_status > 0;
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
    select 'awaited', e.n, null::integer, null::integer, null::integer, e.chain_id, null::uuid, null::bigint, null::bigint, null::text, null::text, null::text, null::text
    from unnest(v_ended, v_ended_n) as e(chain_id, n) join "chainwright".job j on j.id = any(array[e.chain_id])
    -- Not where a release is resumed: that was reported when the chain ended.
    where v_from is null and j.awaited and j.chain_status > 0;
    -- The jobs to look at, chain by chain in the order of their ids, and one more than that if there is one.
    select array_agg(f.at::integer), array_agg(f.job_id), array_agg(f.chain_id), array_agg(f.n), array_agg(f.position)
    into v_at, v_found, v_found_chain, v_found_n, v_position
    from (
      select e.at, e.chain_id, e.n, b.job_id, b.position
      from unnest(v_ended, v_ended_n, v_from, v_until) with ordinality as e(chain_id, n, from_id, until_id, at), lateral (
        select distinct on (b.job_id) b.job_id, b.position from "chainwright".blocker b
        where b.chain_id = e.chain_id and b.counted
          and b.job_id >= coalesce(e.from_id, '00000000-0000-0000-0000-000000000000'::uuid) and b.job_id <= coalesce(e.until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by b.job_id, b.position limit v_left + 1) b
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
        returning h.n, h.cause, h.errors, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence)
      select (select count(*) from waiting), array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name),
        array_agg(g.errors), array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause)
      into v_waiting, v_n, v_job, v_chain, v_type, v_errors, v_attempt, v_fence, v_cause
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
          state = case when o.blockers_left > h.chains then 2 when o.due_at > p_now then 1 else 0 end,
          due_at = case when o.blockers_left > h.chains then o.due_at else greatest(o.due_at, p_now) end
        from held h where o.job_id = any(array[h.job_id]) and o.state = 2
        returning h.n, o.job_id, o.chain_id, o.type_name, o.state, o.due_at)
      select (select count(*) from waiting), array_agg(c.n), array_agg(c.job_id), array_agg(c.chain_id), array_agg(c.type_name),
        array_agg(c.state), array_agg(c.due_at)
      into v_waiting, v_n, v_job, v_chain, v_type, v_state, v_due
      from (select * from counted order by job_id) c;
      return query
      select 'unblocked', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, (e.due_at - p_now)::bigint, null::bigint, pg_catalog.split_part(e.type_name, E'\x01', 1), case e.state when 1 then 'scheduled' else 'ready' end, e.type_name, null::text
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
      end if;
    end if;
  end loop;
end $body$;

create or replace function "chainwright".resume_release_v1(p_now double precision) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  if exists (select from "chainwright".release) then
    return query select * from "chainwright".resume_release_v1(v_now);
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
  blocked boolean, tags jsonb)
      where i.key is not null and i.key <> all(keys) and i.call <> all(p_skip)
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
  v_takers integer[];
  v_parents integer[];
  v_written uuid[];
begin
  select array_agg(i.call <> all(p_skip) order by i.n), array_agg(i.id order by i.n), array_agg(i.parent order by i.n)
  into live, chains, v_parents
  from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb);
  if exists (select from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) where i.key is not null) then
    -- Take each key for the first start that asks for it. Seldom this start turns out not to need it.
    select k.keys, k.firsts, k.holders into v_keys, v_firsts, v_holders from "chainwright".take_keys_v1(p_now, p_starts, p_skip) k;
    v_takers := array_fill(null::integer, array[coalesce(cardinality(v_keys), 0)]);
    -- Give the keys to starts, parents first: a start inside another begins only if that one does.
    for v_start in
      select i.* from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) where i.call <> all(p_skip) order by i.n
    loop
      if v_start.parent is not null and not live[v_start.parent + 1] then
        live[v_start.n + 1] := false;
        chains[v_start.n + 1] := null;
      end if;
      continue when v_start.key is null or not live[v_start.n + 1];
      v_at := array_position(v_keys, v_start.key);
      if v_holders[v_at] is null then
        v_holders[v_at] := v_start.id;
        v_takers[v_at] := v_start.n;
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
      update "chainwright".deduplication d set chain_id = i.id, scope = i.scope, until = p_now + i."window"
      from unnest(v_keys, v_firsts, v_takers) as k(key, first, taker)
      join jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) on i.n = k.taker
      where d.key = any(array[k.key]) and i.id <> k.first;
      delete from "chainwright".deduplication d
      using unnest(v_keys, v_firsts, v_takers) as k(key, first, taker)
      where d.key = any(array[k.key]) and d.chain_id = k.first and k.taker is null;
    end if;
  end if;
  with starts as materialized (
    select i.*, nextval(E'"chainwright".position') as position
    from (select * from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) order by w) i
    where live[i.n + 1]),
  written as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, due_at, key, key_scope, key_until, tags, input, context, version, pool)
    select i.id,
      case when i.parent is null then coalesce(p_chain[i.call + 1], i.id) else i.id end,
      case when i.parent is null then coalesce(p_step[i.call + 1], 0) else 0 end + 1,
      pg_catalog.split_part(i.type, E'\x01', 1), i.priority, coalesce(i.wait, 0), 0,
      case when i.parent is null and p_chain[i.call + 1] is not null then null else 0 end,
      0, i.position, p_now,
      -- Needed again when a retry blocks the job.
      case when i.blocked and greatest(p_now, coalesce(i.at, p_now + i.after, p_now)) > p_now then greatest(p_now, coalesce(i.at, p_now + i.after, p_now)) end,
      i.key, i.scope, p_now + i."window", i.tags::text, i.input, i.context,
      case when pg_catalog.strpos(i.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(i.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01[^@]*@(.*)$') end
    from starts i
    on conflict (id) do nothing
    returning id)
  select array_agg(id) into v_written from written;
  if coalesce(cardinality(v_written), 0) < (select count(*) from unnest(live) as l(is_live) where is_live) then
    select i.call, i.id into v_start
    from (
      select i.*, row_number() over (partition by i.id order by i.w) as nth
      from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) where live[i.n + 1]) i
    where i.nth > 1 or i.id <> all(coalesce(v_written, '{}')) order by i.call, i.w limit 1;
    raise exception 'refused' using errcode = 'CW001',
      detail = json_build_object('n', v_start.call, 'code', 'duplicate-id', 'id', v_start.id)::text;
  end if;
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank, has_blockers,
    type_name)
  select j.id, j.chain_id, j.position, greatest(p_now, coalesce(i.at, p_now + i.after, p_now)), 0, j.step, 0, 0,
    case when i.blocked then 2 when greatest(p_now, coalesce(i.at, p_now + i.after, p_now)) > p_now then 1 else 0 end, ~j.priority, coalesce(i.blocked, false), i.type
  from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) join "chainwright".job j on j.id = any(array[i.id])
  where live[i.n + 1];
  -- Looks at the text only: most calls have no tags.
  if p_starts @? '$[*].tags' then
    insert into "chainwright".tag (name, value, chain_id)
    select t.key, t.value, i.id from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) cross join jsonb_each_text(i.tags) t
    where live[i.n + 1];
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
    join "chainwright".blocker b on b.job_id = any(array[l.id])
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
    join "chainwright".blocker b on b.job_id = any(array[l.id])
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
  blocked boolean, tags jsonb);
  select array_agg(l.job order by l.job, l.position), array_agg(l.position order by l.job, l.position),
    array_agg(coalesce(l.chain, p_chains[l.child + 1]) order by l.job, l.position), array_agg(l.type order by l.job, l.position)
  into v_start, v_position, v_chain, v_type
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
  insert into "chainwright".blocker (job_id, position, chain_id, counted)
  select v_ids[l.start + 1], l.position, l.chain, f.chain_status <> 1
  from unnest(v_start, v_position, v_chain) as l(start, position, chain) join "chainwright".job f on f.id = any(array[l.chain]);
  update "chainwright".open_job o set
    blockers_left = w.waits_for,
    state = case when w.waits_for > 0 then 2 when o.due_at > p_now then 1 else 0 end
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
    returning w.n, w.cause, w.errors, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.errors),
    array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause)
  into v_n, v_job, v_job_chain, v_job_type, v_errors, v_attempt, v_fence, v_cause
  from gone g;
  if v_job is not null then
    return query
    select 'failed', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, null::bigint, null::bigint, e.type_name, null::text, null::text, null::text
    from unnest(v_n, v_job, v_job_chain, v_job_type) as e(n, job_id, chain_id, type_name);
    select c.broken, c.broken_n into v_broken, v_broken_n
    from "chainwright".end_v1(p_now, v_n, v_job, v_job_chain, v_job_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
      v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  with starts as materialized (
    select i.*, nextval(E'"chainwright".position') as position, greatest(v_now, coalesce(i.at, v_now + i.after, v_now)) as due_at
    from json_to_recordset(p_starts::json) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb)),
  jobs as (
    insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context, version, pool)
    select i.id, i.id, 1, pg_catalog.split_part(i.type, E'\x01', 1), i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context,
      case when pg_catalog.strpos(i.type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(i.type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(i.type, E'\x01[^@]*@(.*)$') end
    from starts i)
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name)
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, case when i.due_at > v_now then 1 else 0 end, ~i.priority, false, i.type
  from starts i;
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
  blocked boolean, tags jsonb) order by i.n loop
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
  v_in_turn boolean := false;
  v_refusal json;
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  loop
    begin
      if v_in_turn then
        select b.live, b.chains into v_live, v_chains from "chainwright".begin_in_turn_v1(v_now, v_starts, v_blockers_json, v_skip) b;
        exit;
      end if;
      select b.live, b.chains into v_live, v_chains from "chainwright".begin_v1(v_now, v_starts, v_skip, null, null) b;
      perform "chainwright".block_v1(v_now, v_starts, v_blockers_json, v_live, v_chains, null);
      -- Whether a start got a chain that failed as it began, which has freed the key.
      select bool_or(f.key_scope = 0 and f.chain_status > 1) into v_in_turn
      from unnest(v_live, v_chains) as i(is_live, chain) join "chainwright".job f on f.id = any(array[i.chain])
      where not i.is_live;
      exit when v_in_turn is not true;
      raise exception 'one after the other' using errcode = 'CW003';
    exception
      when sqlstate 'CW003' then null;
      when sqlstate 'CW001' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select 'refused', (v_refusal->>'n')::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_refusal::text, null::text, null::text, null::text;
    end;
  end loop;
  return query
  select 'start', i.n, case when not v_live[i.n + 1] then j.chain_status::integer end, case when not v_live[i.n + 1] then j.version::integer end, null::integer, j.id, null::uuid, (j.created_at)::bigint, (o.due_at - v_now)::bigint, j.type_name, case when v_live[i.n + 1] then case when o.job_id is null then 'failed' when o.state = 2 then 'blocked' when o.state = 1 then 'scheduled'
      else 'ready' end end, case when not v_live[i.n + 1] then j.input end, null::text
  from jsonb_to_recordset(v_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb)
  join "chainwright".job j on j.id = v_chains[i.n + 1]
  left join "chainwright".open_job o on o.job_id = any(array[i.id])
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
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];
  v_own uuid[];
  v_own_step integer[];
  v_first record;
  v_blockers uuid[];
  v_gates integer;
  v_idle integer[];
  v_live boolean[];
  v_chains uuid[];
begin
  with outcomes as (
    select * from json_to_recordset(p_ended) as i(n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text) where i.n <> all(p_skip) order by i.id, i.n),
  gone as (
    delete from "chainwright".open_job o using outcomes i
    where o.job_id = any(array[i.id]) and (i.worker is null or (o.leased_by = i.worker and o.fence = i.fence))
    returning o.chain_id, o.step, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence,
      case when i.worker is not null then o.started_at end as started_at, i.n, i.id, i.worker, i.status, i.output, i.errors, i.next,
      i.type as next_type, i.input as next_input, i.priority as next_priority, i.at, i.after, i.wait, i.context as next_context),
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
      has_blockers, type_name)
    select g.next, g.chain_id, g.position, g.due_at, 0, g.step + 1, 0, 0, case when g.due_at > p_now then 1 else 0 end,
      ~g.next_priority, false, g.next_type
    from nexts g)
  select array_agg(g.n), array_agg(g.id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.status),
    array_agg(g.next), array_agg(g.output), array_agg(g.errors), array_agg(g.attempt), array_agg(g.fence),
    array_agg(g.started_at), array_agg(g.worker), array_agg(g.step)
  into v_n, v_job, v_chain, v_type, v_status, v_next, v_output, v_errors, v_attempt, v_fence, v_started, v_by, v_step
  from gone g;
  if v_n is not null then
    if p_starts is not null then
      for i in 1 .. cardinality(v_n) loop
        v_own[v_n[i] + 1] := v_chain[i];
        v_own_step[v_n[i] + 1] := v_step[i];
      end loop;
      -- Lock the first rows of the outcomes' own chains and of the blockers together, in the order of their ids: see end_v1. Those
      -- of blockers are shared: see block_v1.
      v_blockers := array(
        select distinct l.chain
        from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text) join jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) on i.n = l.job
        where l.chain is not null and i.call = any(v_n));
  v_gates := coalesce(nullif(current_setting('chainwright.gates', true), ''), '0')::integer + cardinality(v_blockers);
  if v_gates <= 100 then
    perform set_config('chainwright.gates', v_gates::text, true);
    perform pg_advisory_xact_lock_shared(uuid_hash_extended(c.id, 7236541)) from (select id from unnest(v_blockers) as u(id) order by id) c;
  end if;
      for v_first in
        select c.id, bool_or(c.own) as own
        from (
          select unnest(v_chain) as id, true as own
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
    select c.completed, c.completed_n, c.broken, c.broken_n into v_completed, v_completed_n, v_broken, v_broken_n
    from "chainwright".end_v1(p_now, v_n, v_job, v_chain, v_type, v_status, v_next, v_output, v_errors, v_attempt, v_fence,
      v_started, v_by, null, null) c;
    return query
    select 'settled', e.n, null::integer, null::integer, null::integer, e.job_id, e.chain_id, (p_now)::bigint, null::bigint, e.type_name, null::text, null::text, null::text
    from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name);
    if v_completed is not null or v_broken is not null then
      return query select * from "chainwright".release_v1(p_now, v_completed, v_completed_n, v_broken, v_broken_n);
    end if;
    if p_starts is not null then
      v_idle := array(select distinct i.call from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) where i.call <> all(v_n));
      select b.live, b.chains into v_live, v_chains from "chainwright".begin_v1(p_now, p_starts, v_idle, v_own, v_own_step) b;
      return query select * from "chainwright".block_v1(p_now, p_starts, p_blockers, v_live, v_chains, v_own);
      return query
      select 'started', i.call, null::integer, null::integer, null::integer, j.id, j.chain_id, (o.due_at - p_now)::bigint, null::bigint, j.type_name, case when o.job_id is null then 'failed' when o.state = 2 then 'blocked' when o.state = 1 then 'scheduled'
      else 'ready' end, o.type_name::text, null::text
      from jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb)
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
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text), "chainwright".lost_reason_v1(i.id) as l(reason)
    where i.n <> all(coalesce(v_n, '{}')) and i.n <> all(p_skip);
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
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text) where i.n <> all(v_skip) and i.type is not null) i
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
  v_writes boolean[];
  v_free uuid[];
  v_rows uuid[];
  v_shared uuid[];
  v_keys text[];
  v_busy integer[];
begin
  select array_agg(i.n), array_agg(i.id), array_agg(i.ends), array_agg(i.writes) into v_n, v_id, v_ends, v_writes
  from (
    select i.n, i.id, i.next is null as ends, true as writes
    from json_to_recordset(p_fenced) as i(n integer, id uuid, next uuid)
    union all
    select i.n, i.id, false, i.errors is not null from json_to_recordset(p_deferred) as i(n integer, id uuid, errors text)) i;
  v_free := array(select o.job_id from "chainwright".open_job o where o.job_id = any(v_id) order by o.job_id for update skip locked);
  v_busy := array(
    select i.n from unnest(v_n, v_id) as i(n, id)
    where i.id <> all(v_free) and exists (select from "chainwright".open_job o where o.job_id = any(array[i.id])));
  -- Of the outcomes whose open rows are free: the job's own row, and its chain's first row if the chain ends with it.
  v_rows := array(
    select distinct r.id
    from unnest(v_id, v_ends, v_writes) as i(id, ends, writes)
    join "chainwright".open_job o on o.job_id = any(array[i.id]),
    lateral (values (o.job_id, i.writes), (o.chain_id, i.ends)) as r(id, is_wanted)
    where r.is_wanted and i.id = any(v_free));
  v_free := array(select j.id from "chainwright".job j where j.id = any(v_rows) order by j.id for no key update skip locked);
  v_busy := v_busy || array(
    select distinct i.n
    from unnest(v_n, v_id, v_ends, v_writes) as i(n, id, ends, writes)
    join "chainwright".open_job o on o.job_id = any(array[i.id]),
    lateral (values (o.job_id, i.writes), (o.chain_id, i.ends)) as r(id, is_wanted)
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
      and exists (select from "chainwright".deduplication d where d.key = any(array[f.key])));
  if p_blockers is not null then
    v_rows := array(select distinct l.chain from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text) where l.chain is not null);
    v_shared := array(select j.id from "chainwright".job j where j.id = any(v_rows) order by j.id for share skip locked);
    v_busy := v_busy || array(
      select distinct i.call
      from jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text) join jsonb_to_recordset(p_starts) as i(n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb) on i.n = l.job
      where l.chain <> all(v_shared) and i.call <> all(v_busy)
        and exists (select from "chainwright".job j where j.id = any(array[l.chain])));
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
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
        state = case when i.due_at > v_now then 1 else 0 end
      from moments i where o.job_id = any(array[i.id]) and o.leased_by = i.worker and o.fence = i.fence
      returning i.n, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, i.errors),
    noted as (
      update "chainwright".job j set errors = w.errors from waiting w where j.id = any(array[w.job_id]) and w.errors is not null)
    select 'settled', w.n, null::integer, null::integer, null::integer, w.job_id, w.chain_id, (v_now)::bigint, null::bigint, w.type_name, null::text, null::text, null::text
    from waiting w
    union all
    select 'lost', i.n, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, "chainwright".lost_reason_v1(i.id), null::text, null::text, null::text
    from outcomes i where i.n not in (select w.n from waiting w);
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
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_now double precision := coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000));
  v_job uuid := p_job::uuid;
  v_open record;
  v_chain record;
  v_reason text;
  v_status smallint := p_status::smallint;
  v_awaited boolean;
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  delete from "chainwright".open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.step, o.attempt, o.fence, o.started_at, pg_advisory_xact_lock(uuid_hash_extended(o.chain_id, 7236541)) into v_open;
  if not found then
    v_reason := "chainwright".lost_reason_v1(v_job);
    return query select 'lost', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_reason, null::text, null::text, null::text;
    return;
  end if;
  if v_open.chain_id = v_job then
    update "chainwright".job j set
      status = v_status, output = case when starts_with(p_output, E'\x01') then substr(p_output, 3 + length(split_part(p_output, E'\x01', 2))) else p_output end, output_version = case when starts_with(p_output, E'\x01') then split_part(p_output, E'\x01', 2)::smallint end, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,
      chain_status = v_status, ended_job_id = v_job
    where j.id = v_job
    returning j.key, j.key_scope, j.awaited into v_chain;
  else
    update "chainwright".job j set
      status = v_status, output = case when starts_with(p_output, E'\x01') then substr(p_output, 3 + length(split_part(p_output, E'\x01', 2))) else p_output end, output_version = case when starts_with(p_output, E'\x01') then split_part(p_output, E'\x01', 2)::smallint end, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker
    where j.id = v_job;
    update "chainwright".job j set chain_status = v_status, ended_job_id = v_job where j.id = v_open.chain_id
    returning j.key, j.key_scope, j.awaited into v_chain;
  end if;
  -- The chain's row is locked by now, so all jobs that wait for it are visible.
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_open.type_name, v_status, 1)
  returning current_setting('transaction_isolation') <> 'read committed' or v_chain.awaited or exists (select from "chainwright".blocker b where b.chain_id = v_open.chain_id) into v_awaited;
  if v_status > 1 then
    perform "chainwright".note_stopped_v1(v_now, array[v_job], array[v_open.chain_id], array[v_status]);
  end if;
  if v_chain.key_scope = 0 then
    delete from "chainwright".deduplication d where d.key = v_chain.key and d.chain_id = v_open.chain_id;
  end if;
  kind := 'settled';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_open.chain_id;
  text_1 := v_open.type_name;
  ms_1 := (v_now)::bigint;
  return next;
  if v_awaited then
    return query select * from "chainwright".release_v1(v_now,
      case when v_status = 1 then array[v_open.chain_id] end, array[0],
      case when v_status = 2 then array[v_open.chain_id] end, array[0]);
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
  v_type text[];
  v_status smallint[];
  v_keys text[];
  v_holders uuid[];
  v_awaited uuid[];
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
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
    returning i.n, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, o.started_at, i.status, i.output, i.errors),
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
    returning j.id, j.key, j.key_scope, j.awaited),
  step_rows as (
    update "chainwright".job j set
      status = g.status, output = case when starts_with(g.output, E'\x01') then substr(g.output, 3 + length(split_part(g.output, E'\x01', 2))) else g.output end, output_version = case when starts_with(g.output, E'\x01') then split_part(g.output, E'\x01', 2)::smallint end, errors = coalesce(g.errors, j.errors), attempt = g.attempt, fence = g.fence,
      started_at = g.started_at, ended_at = v_now, ended_by = p_worker
    from (select * from gone where job_id <> chain_id order by job_id) g
    where j.id = any(array[g.job_id])),
  counted as (
    insert into "chainwright".tally_change (n, type_name, status, count)
    select nextval(E'"chainwright".position'), e.type_name, e.status, e.count
    from (select type_name, status, count(*) as count from gone group by type_name, status) e),
  ended as (
    select array_agg(n) as n, array_agg(job_id) as jobs, array_agg(chain_id) as chains, array_agg(type_name) as types,
      array_agg(status) as statuses
    from gone),
  noted as (
    select array_agg(key) filter (where key_scope = 0) as keys, array_agg(id) filter (where key_scope = 0) as holders,
      array_agg(id) filter (where awaited) as awaited
    from chain_rows)
  select e.n, e.jobs, e.chains, e.types, e.statuses, c.keys, c.holders, c.awaited
  into v_n, v_job, v_chain, v_type, v_status, v_keys, v_holders, v_awaited
  from ended e, noted c;
  if v_n is not null then
    return query
    select 'ended', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, (v_now)::bigint, null::bigint, array_to_json(array_agg(e.n))::text, case when bool_or(e.chain_id <> e.job_id) then array_to_json(array_agg(e.chain_id))::text end, e.type_name, null::text
    from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name) group by e.type_name;
    if 2 = any(v_status) then
      perform "chainwright".note_stopped_v1(v_now, v_job, v_chain, v_status);
    end if;
    if v_keys is not null then
      delete from "chainwright".deduplication d using unnest(v_keys, v_holders) as h(key, chain_id)
      where d.key = any(array[h.key]) and d.chain_id = h.chain_id;
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
  end if;
end $body$;

create or replace function "chainwright".continue_one_v1(p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_id text, p_type text, p_input text, p_priority text,
  p_at text, p_after text, p_wait text, p_context text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
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
  v_job uuid := p_job::uuid;
  v_open record;
  v_reason text;
  v_due double precision := greatest(v_now, coalesce(p_at::double precision, v_now + p_after::double precision, v_now));
  v_id uuid := p_id::uuid;
  v_position bigint := nextval(E'"chainwright".position');
  v_priority smallint := p_priority::smallint;
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  delete from "chainwright".open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.step, o.attempt, o.fence, o.started_at into v_open;
  if not found then
    v_reason := "chainwright".lost_reason_v1(v_job);
    return query select 'lost', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, v_reason, null::text, null::text, null::text;
    return;
  end if;
  update "chainwright".job j set
    status = 1, attempt = v_open.attempt, fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now,
    ended_by = p_worker, next_job_id = v_id
  where j.id = v_job;
  insert into "chainwright".job (id, chain_id, step, type_name, priority, on_blocker_failure, status, attempt, position, created_at, input,
    context, version, pool)
  values (v_id, v_open.chain_id, v_open.step + 1, pg_catalog.split_part(p_type, E'\x01', 1), v_priority, coalesce(p_wait::smallint, 0), 0, 0, v_position,
    v_now, p_input, p_context, case when pg_catalog.strpos(p_type, E'\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(p_type, E'\x01#([0-9]+)')::smallint end, case when pg_catalog.strpos(p_type, E'\x01') operator(pg_catalog.>) 0 then pg_catalog.substring(p_type, E'\x01[^@]*@(.*)$') end);
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name)
  values (v_id, v_open.chain_id, v_position, v_due, 0, v_open.step + 1, 0, 0, case when v_due > v_now then 1 else 0 end, ~v_priority,
    false, p_type);
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_open.type_name, 1, 1);
  kind := 'settled';
  integer_1 := 0;
  uuid_1 := v_job;
  uuid_2 := v_open.chain_id;
  text_1 := v_open.type_name;
  ms_1 := (v_now)::bigint;
  return next;
exception when unique_violation then
  return query select 'refused', 0, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'duplicate-id', 'id', p_id)::text, null::text, null::text, null::text;
end $body$;

create or replace function "chainwright".claim_v1(p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
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
  v_types text[] := array(select json_array_elements_text(p_types::json));
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
  v_due_left integer;
  v_due_until double precision := v_now - 1000;
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
  v_next double precision;
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  -- A claim that finds nothing writes nothing, so it would not notice that the server is no primary any more.
  if current_setting('transaction_read_only')::boolean then
    raise exception 'cannot claim in a read-only transaction' using errcode = 'read_only_sql_transaction';
  end if;
  -- The first entry of an index shows whether a job is due, another one whether ended chains have jobs to release.
  select exists (select from "chainwright".open_job o where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from),
    exists (select from "chainwright".release),
    array(select p.type_name from "chainwright".pause p where p.until is null or p.until > v_now)
  into v_is_due, v_is_releasing, v_paused;
  if v_paused <> '{}' then
    v_paused := array(
      select t.name from unnest(v_types) as t(name) where split_part(t.name, E'\x01', 1) = any(v_paused));
    v_pause_ends := (
      select min(p.until) from "chainwright".pause p
      where p.until > v_now and p.type_name = any(array(select split_part(t.name, E'\x01', 1) from unnest(v_paused) as t(name))));
    -- The types that are left keep their places, which those of other parameters correspond to. Null equals no type.
    v_types := array(
      select case when t.name <> all(v_paused) then t.name end from unnest(v_types) with ordinality as t(name, n) order by t.n);
  end if;
  if v_is_releasing then
    return query select * from "chainwright".resume_release_v1(v_now);
  end if;
  if v_start_at is not null then
    v_returned := array(select r.id::uuid from jsonb_array_elements_text(v_start_at->'returned') as r(id));
  end if;
  if v_is_due then
    v_due_left := case when v_start_at is null then greatest(v_left, 500) else v_left end;
    with ready as (
      update "chainwright".open_job o set state = 0
      from (
        select o.ctid from "chainwright".open_job o
        where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from and (v_start_at is null or o.type_name = any(v_types))
        order by o.due_at limit v_due_left for update skip locked) d
      where o.ctid = d.ctid
      returning o.job_id, o.due_at, o.type_name)
    select array_agg(r.job_id) filter (where r.type_name = any(v_types)) || v_returned,
      least(v_due_until, case when count(*) = v_due_left then max(r.due_at) end)
    into v_returned, v_due_until
    from ready r;
  end if;
  if v_start_at is not null and v_returned <> '{}' then
    v_returned_ranks := array(
      select o.rank::integer from unnest(v_returned) as r(id) join "chainwright".open_job o on o.job_id = any(array[r.id])
      where o.state <= 0 and o.leased_until <= v_now and o.type_name = any(v_types));
  end if;
  v_asked := v_types;
  v_asked_leases := v_leases;
  v_is_first_look := cardinality(v_asked) > 128 and v_start_at is null;
  if v_is_first_look then
    v_types := v_asked[:16];
    v_leases := v_asked_leases[:16];
  end if;
  while v_left > 0 and v_types <> '{}' loop
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
          array_agg(c.job_id) filter (where c.has_blockers)
        into v_rows, v_jobs, v_lease, v_since, v_blocked
        from (
          select o.ctid, o.job_id, o.has_blockers, t.lease, greatest(o.due_at, o.leased_until) as since
          from unnest(v_returned) as r(id)
          join "chainwright".open_job o on o.job_id = any(array[r.id])
          join unnest(v_types, v_leases) as t(type_name, lease) on t.type_name = o.type_name
          where o.state <= 0 and o.rank = v_rank::smallint and o.leased_until <= v_now
          order by o.position limit v_left for update of o skip locked) c;
      else
    select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
      array_agg(c.job_id) filter (where c.has_blockers)
    into v_rows, v_jobs, v_lease, v_since, v_blocked
    from (
      select c.ctid, c.job_id, c.has_blockers, t.lease, c.since
      from unnest(v_types, v_leases, v_floors, v_next_ranks) as t(type_name, lease, floor, rank),
      lateral (
        select o.ctid, o.job_id, o.has_blockers, greatest(o.due_at, o.leased_until) as since
        from "chainwright".open_job o
        where o.state = 0 and o.rank = v_rank::smallint and o.type_name = t.type_name and o.position >= coalesce(t.floor, v_from)
          and o.leased_until <= v_now
        order by o.position limit v_left for update skip locked) c
      where t.rank is null or t.rank = v_rank or v_rank = -1
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
        where b.job_id = any(v_blocked)
        order by b.job_id, b.position;
      end if;
    end loop;
    if v_is_first_look and v_left > 0 then
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
      end if;
      v_rank := null;
      v_next_ranks := null;
      v_ranks := '{}';
    end if;
  end loop;
  if v_left > 0 then
    if cardinality(v_asked) > 128 then
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
    select least(
      (select min(d.due_at)
       from unnest(v_asked) as t(type_name), lateral (
         select o.due_at from "chainwright".open_job o where o.state = 1 and o.type_name = t.type_name and o.due_at >= v_due_until
         order by o.due_at limit 1) d),
      (select min(l.leased_until)
       from unnest(case when v_start_at is null and not (v_passed + pg_stat_get_xact_tuples_returned(E'"chainwright".open_job_ready'::regclass) > 1000 + 10 * (p_limit::integer - v_left)) then v_ranks end) as r(rank), unnest(v_types) as t(type_name), lateral (
         select min(o.leased_until) as leased_until from "chainwright".open_job o
         where o.state = 0 and o.rank = r.rank and o.type_name = t.type_name and o.leased_until > v_now) l),
      v_pause_ends)
    into v_next;
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
    return query select 'claimStart', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('server', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text, 'places', v_first, 'newest', case when v_paused <> '{}' and v_start_at is null then 0 else coalesce(v_newest, pg_sequence_last_value(E'"chainwright".position')) end,
      'oldestOpen', pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 'nextId', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
      'due', case when v_paused <> '{}' then greatest(v_due_from, 0) else v_due_until end, 'returned', array(
        select o.job_id from unnest(v_returned) as r(id) join "chainwright".open_job o on o.job_id = any(array[r.id])
        where o.leased_until <= v_now), 'dead', pg_stat_get_dead_tuples(E'"chainwright".open_job'::regclass), 'tookMs', extract(epoch from clock_timestamp() - v_began) * 1000)::text, null::text, null::text, null::text;
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
    where o.state <> 2 and o.leased_until <= v_now and o.type_name = any(v_types)
    group by o.state, o.rank, o.type_name)
  select json_build_object('server', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text, 'newest', v_newest, 'now', v_now, 'dead', pg_stat_get_dead_tuples(E'"chainwright".open_job'::regclass), 'tookMs', extract(epoch from clock_timestamp() - v_began) * 1000,
    'ready', coalesce(
      json_agg(json_build_array(f.rank, f.type_name, f.position, coalesce(f.before, '{}'))) filter (where f.state = 0), '[]'),
    'scheduled', coalesce(json_agg(json_build_array(f.type_name, f.due_at)) filter (where f.state = 1), '[]'))::text
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  return query
  with held as materialized (
    select * from json_to_recordset(p_held::json) as h(n integer, id uuid, fence integer, lease double precision)),
  own as materialized (
    select h.n, h.lease, o.ctid as at
    from held h join "chainwright".open_job o on o.job_id = any(array[h.id])
    where o.leased_by = p_worker and o.fence = h.fence
    for update of o skip locked),
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  perform from "chainwright".open_job o where o.job_id = any(v_jobs) order by o.job_id for update;
  select i.id, case when j.id is null then 'job-not-found' else 'job-not-scheduled' end as code, case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else case when o.state = 2 then 'blocked' when o.leased_until > v_now then 'running'
    when o.state = 1 and o.due_at > v_now then 'scheduled' else 'ready' end end as actual
  into v_bad
  from unnest(v_jobs) with ordinality as i(id, n)
  left join "chainwright".job j on j.id = any(array[i.id])
  left join "chainwright".open_job o on o.job_id = any(array[i.id])
  where j.id is null or case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else case when o.state = 2 then 'blocked' when o.leased_until > v_now then 'running'
    when o.state = 1 and o.due_at > v_now then 'scheduled' else 'ready' end end <> 'scheduled'
  order by i.n limit 1;
  if found then
    return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('id', v_bad.id, 'code', v_bad.code,
        'actual', case v_bad.code when 'job-not-scheduled' then v_bad.actual end)::text, null::text, null::text, null::text;
    return;
  end if;
  update "chainwright".open_job o set state = 0, due_at = v_now where o.job_id = any(v_jobs);
  return query
  select 'triggered', null::integer, null::integer, null::integer, null::integer, j.id, j.chain_id, null::bigint, null::bigint, j.type_name, j.type_name || case when j.version is null and j.pool is null then '' else
    E'\x01' || coalesce('#' || j.version, '') || coalesce('@' || j.pool, '') end, null::text, null::text
  from unnest(v_jobs) with ordinality as i(id, n) join "chainwright".job j on j.id = any(array[i.id])
  order by i.n;
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
  v_broken uuid[];
  v_broken_n integer[];
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  for v_item in
    select i.*, row_number() over (partition by i.chain order by i.n) as nth
    from json_to_recordset(p_items::json) as i(n integer, chain uuid, reason text)
    order by i.chain, i.n
  loop
    if v_item.nth = 1 then
      select f.job_id, f.refusal into v_found from "chainwright".open_step_v1(v_item.chain, null) f;
    else
      select null::uuid as job_id, json_build_object('code', 'chain-not-active', 'id', v_item.chain, 'actual', 'cancelled')::text as refusal
      into v_found;
    end if;
    if v_found.refusal is null then
      if coalesce(cardinality(v_n), 0) < 100 then
        perform pg_advisory_xact_lock(uuid_hash_extended(v_item.chain, 7236541));
      end if;
      v_n := v_n || v_item.n;
      v_job := v_job || v_found.job_id;
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
  with gone as (
    delete from "chainwright".open_job o using unnest(v_n, v_job, v_reason) as i(n, job_id, reason) where o.job_id = any(array[i.job_id])
    returning i.n, i.reason, o.job_id, o.chain_id, pg_catalog.split_part(o.type_name, E'\x01', 1) as type_name, o.attempt, o.fence, o.leased_by)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.attempt),
    array_agg(g.fence), array_agg(g.leased_by), array_agg(g.reason)
  into v_n, v_job, v_chain, v_type, v_attempt, v_fence, v_by, v_reason
  from gone g;
  select c.broken, c.broken_n into v_broken, v_broken_n
  from "chainwright".end_v1(v_now, v_n, v_job, v_chain, v_type, array_fill(3::smallint, array[cardinality(v_n)]), null, null, null,
    v_attempt, v_fence, null, null, null, v_reason) c;
  return query
  select 'cancelled', c.n, null::integer, null::integer, null::integer, c.job_id, c.chain_id, null::bigint, null::bigint, c.type_name, c.leased_by, null::text, null::text
  from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
  order by c.n;
  if v_broken is not null then
    return query select * from "chainwright".release_v1(v_now, null, null, v_broken, v_broken_n);
  end if;
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
  if v_chain.key is null or v_chain.key_until <= p_now then
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
begin
  select * into v_job from "chainwright".job j where j.id = p_job;
  insert into "chainwright".open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, fence, blockers_left, state, rank,
    has_blockers, type_name)
  values (v_job.id, v_job.chain_id, v_job.position, p_due_at, 0, v_job.step, 0, v_job.fence, p_open_chains,
    case when p_open_chains > 0 then 2 when p_due_at > p_now then 1 else 0 end, ~v_job.priority, p_has_blockers, v_job.type_name || case when v_job.version is null and v_job.pool is null then '' else
    E'\x01' || coalesce('#' || v_job.version, '') || coalesce('@' || v_job.pool, '') end);
  insert into "chainwright".tally_change (n, type_name, status, count) values (nextval(E'"chainwright".position'), v_job.type_name, v_job.status, -1);
  delete from "chainwright".stopped k where k.job_id = p_job;
  -- Retention may have passed the chain already.
  delete from "chainwright".expiry x where x.chain_id = v_job.chain_id and x.kind = 2;
  insert into "chainwright".expiry (chain_id, kind, since) values (v_job.chain_id, 1, p_now)
  on conflict (chain_id, kind) do update set since = excluded.since;
  delete from "chainwright".release r where r.chain_id = v_job.chain_id;
  -- The job no longer waits for chains that have completed, even if their release has not reached it yet.
  update "chainwright".blocker b set counted = false
  from "chainwright".job f where b.job_id = p_job and b.counted and f.id = any(array[b.chain_id]) and f.chain_status = 1;
  update "chainwright".job j set status = 0, attempt = 0, started_at = null, ended_at = null, ended_by = null, failed_by = null
  where j.id = p_job;
  update "chainwright".job f set chain_status = 0, ended_job_id = null, reason = null where f.id = v_job.chain_id;
end $body$;

create or replace function "chainwright".reblock_v1(p_now double precision, p_chain uuid, p_n integer) returns table(kind text, integer_1 integer, integer_2 integer, integer_3 integer, integer_4 integer, uuid_1 uuid, uuid_2 uuid, ms_1 bigint, ms_2 bigint, text_1 text, text_2 text, text_3 text, text_4 text)
language plpgsql volatile
as $body$
#variable_conflict use_column
declare
  v_chains uuid[] := array[p_chain];
  v_next uuid[];
  v_stopped record;
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
      perform from "chainwright".job f where f.id = v_stopped.chain_id for no key update;
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
      continue when "chainwright".retake_key_v1(p_now, v_job.chain_id) is not null;
      perform "chainwright".reopen_v1(p_now, v_job.id, v_waits.open_chains, true, greatest(p_now, v_job.due_at));
      v_next := v_next || v_job.chain_id;
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
  v_refusal text;
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  begin
    perform from "chainwright".job f where f.id = any(array(select i.chain from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint))) order by f.id for no key update;
    -- Reopen all of them before looking at blockers, because one may have failed because of another one of the call.
    for v_item in select * from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint) order by i.n loop
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
      select * into v_waits from "chainwright".blocker_states_v1(v_last.id);
      if v_item.input is not null then
        update "chainwright".job j set input = v_item.input, version = nullif(v_item.version, 1) where j.id = v_last.id;
      end if;
      perform "chainwright".reopen_v1(v_now, v_last.id, v_waits.open_chains, v_waits.has_blockers, v_now);
      v_jobs := v_jobs || v_last.id;
      v_blocked := v_blocked || (v_waits.open_chains > 0);
    end loop;
    for v_item in select * from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint) order by i.n loop
      select * into v_last from "chainwright".job j where j.id = v_jobs[v_item.n + 1];
      return query select 'retried', v_item.n, null::integer, null::integer, null::integer, v_last.id, v_item.chain, null::bigint, null::bigint, v_last.type_name::text, case when v_blocked[v_item.n + 1] then 'blocked' else 'ready' end, v_last.type_name || case when v_last.version is null and v_last.pool is null then '' else
    E'\x01' || coalesce('#' || v_last.version, '') || coalesce('@' || v_last.pool, '') end, null::text;
      return query select * from "chainwright".reblock_v1(v_now, v_item.chain, v_item.n);
    end loop;
    for v_item in select * from json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint) order by i.n loop
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
      select from "chainwright".job f
      join "chainwright".open_job o on o.job_id = any(array[coalesce(
        (select j.id from "chainwright".job j where j.chain_id = f.id and j.step > 1 order by j.step desc limit 1), f.id)])
      where f.id = any(v_found) and f.chain_status = 0 and o.job_id <> all(array_remove(v_jobs, null)));
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
begin
  v_jobs := p_chains || array(select j.id from "chainwright".job j where j.chain_id = any(p_chains) and j.step > 1);
  return query
  with gone as (
    delete from "chainwright".open_job o where o.job_id = any(v_jobs) returning o.job_id, o.chain_id, o.leased_by)
  select g.job_id, g.chain_id, g.leased_by::text from gone g where g.leased_by is not null;
  delete from "chainwright".stopped k where k.chain_id = any(p_chains);
  delete from "chainwright".expiry x where x.chain_id = any(p_chains);
  -- Retention looks again at the blockers of these chains: they may have expired while they were needed.
  v_needed := array(select distinct b.chain_id from "chainwright".blocker b where b.job_id = any(v_jobs));
  if v_needed <> '{}' then
    update "chainwright".expiry x set since = least(x.since, u.reached)
    from "chainwright".upkeep u
    where u.chore = 'expiry ' || x.kind and x.ctid = any(array(
      select p.ctid from "chainwright".expiry p where p.chain_id = any(v_needed) for update skip locked));
  end if;
  delete from "chainwright".blocker b where b.job_id = any(v_jobs);
  delete from "chainwright".blocker b where b.chain_id = any(p_chains);
  delete from "chainwright".release r where r.chain_id = any(p_chains);
  delete from "chainwright".deduplication d using "chainwright".job f where f.id = any(p_chains) and d.key = any(array[f.key]) and d.chain_id = f.id;
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  v_edge := "chainwright".hold_chains_v1(v_chains);
  select c.id into v_bad from unnest(v_chains) with ordinality as c(id, n) where c.id <> all(v_edge) order by c.n limit 1;
  if found then
    return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'chain-not-found', 'id', v_bad.id)::text, null::text, null::text, null::text;
    return;
  end if;
  loop
    v_next := array(select distinct j.chain_id from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
      where b.chain_id = any(v_edge) and j.status <> 1 and j.chain_id <> all(v_chains));
    exit when v_next = '{}';
    if p_cascade is null then
      select e.id, (
        select json_agg(r.chain_id) from (select distinct j.chain_id from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
      where b.chain_id = any(array[e.id]) and j.status <> 1 and j.chain_id <> all(v_chains) order by j.chain_id limit 100) r) as chains
      into v_bad
      from unnest(v_chains) with ordinality as e(id, n)
      where exists (select distinct j.chain_id from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
      where b.chain_id = any(array[e.id]) and j.status <> 1 and j.chain_id <> all(v_chains))
      order by e.n limit 1;
      return query select 'refused', null::integer, null::integer, null::integer, null::integer, null::uuid, null::uuid, null::bigint, null::bigint, json_build_object('code', 'chain-referenced', 'id', v_bad.id, 'references', v_bad.chains)::text, null::text, null::text, null::text;
      return;
    end if;
    v_next := "chainwright".hold_chains_v1(v_next);
    v_edge := array(select distinct j.chain_id from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id])
      where b.chain_id = any(v_edge) and j.status <> 1 and j.chain_id = any(v_next));
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
      and not exists (
        select from "chainwright".blocker b join "chainwright".job j on j.id = any(array[b.job_id]) where b.chain_id = any(array[f.id]) and j.status <> 1));
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
  where x.chain_id = any(p_chains) and x.kind = p_kind and f.id = any(array[x.chain_id])
    and case p_kind when 0 then f.chain_status < 2 when 1 then f.chain_status <> 2 else f.chain_status = 2 end;
  delete from "chainwright".expiry x where x.chain_id = any(p_chains) and x.kind = p_kind and x.since <= p_until;
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
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
  return query select coalesce(cardinality(v_keys), 0), (coalesce(cardinality(v_keys), 0) >= p_limit::integer)::integer;
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
begin
  if p_alone is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
    end if;
  end if;
  delete from "chainwright".pause p
  where p.type_name = any(array(select r.type_name from "chainwright".pause r where r.until <= v_now order by r.type_name for update skip locked));
  delete from "chainwright".worker w
  where w.id = any(array(
    select p.id from "chainwright".worker p where p.alive_until <= v_now order by p.id limit p_limit::integer for update skip locked));
  get diagnostics v_removed = row_count;
  return query select v_removed, (v_removed >= p_limit::integer)::integer;
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
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'not read committed' using errcode = 'CW002';
    end if;
    if p_alone <> '0' then
      perform set_config('lock_timeout', p_alone, true);
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
