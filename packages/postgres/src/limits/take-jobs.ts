import { notedJobs } from "../notes/claimed-notes.ts";
import { isUnpaused } from "../rules/pause.ts";

/**
 * Leases the first jobs of each lane, as many as it has places for. The lock of a job is that of its entry in the lane too: no one else
 * removes the entry of a job that waits.
 */
export function leaseJobs(s: string): string {
  return `    select coalesce(array_agg(c.at), '{}'), array_agg(c.parked_at), coalesce(array_agg(c.job_id), '{}'), array_agg(c.lane), array_agg(c.lease),
      array_agg(c.since), array_agg(c.rank), array_agg(c.position), array_agg(c.type_name::text), array_agg(c.attempt + 1), array_agg(c.fence + 1),
      array_agg(c.job_id) filter (where c.has_blockers), ${notedJobs}
    into v_rows, v_parked, v_job, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt, v_job_fence, v_job_blocked, v_job_noted
    from (
      select o.*, t.n as lane, t.lease
      from unnest(v_key, v_type, v_want, v_lease) with ordinality as t(key, type_name, want, lease, n),
      lateral (
        select o.ctid as at, p.ctid as parked_at, o.job_id, p.rank, p.position, o.type_name, o.attempt, o.fence, o.has_blockers, o.noted,
          greatest(o.due_at, o.leased_until) as since
        from ${s}.parked p join ${s}.open_job o on o.job_id = any(array[p.job_id])
        where p.lane = t.key and p.type_name = t.type_name and o.state = 3 and o.lane = t.key and o.type_name = t.type_name
        order by p.rank, p.position limit t.want for update of o skip locked) o
      where t.want > 0 and ${isUnpaused(s, "t.type_name", "p_now")}) c;
${leaseLocked(s)}`;
}

/** Leases the jobs that are locked, in the order of their lanes. */
export function leaseLocked(s: string): string {
  return `    v_count := cardinality(v_rows);
    v_taken := array_fill(0, array[cardinality(v_key)]);
    v_first := v_taken;
    v_last_rank := array_fill((-32768)::smallint, array[cardinality(v_key)]);
    v_last_position := array_fill(0::bigint, array[cardinality(v_key)]);
    if v_count > 0 then
      update ${s}.open_job o set
        state = 0, leased_by = p_worker, leased_until = p_now + t.lease, started_at = p_now, attempt = o.attempt + 1,
        fence = o.fence + 1
      from unnest(v_rows, v_job_lease) as t(at, lease)
      where o.ctid = t.at;
      delete from ${s}.parked p where p.ctid = any(v_parked);
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
    end if;`;
}

/** Gives each job a place of each of its gates, and spends a token of each. What was locked for more jobs than there are stays free. */
export function assignPlaces(s: string): string {
  return `    if v_place_at <> '{}' and v_count > 0 then
${matchByGate("v_pair_places", "v_place_gate", "v_place_at")}
      update ${s}.place p set job_id = a.job_id
      from unnest(v_set_at, v_set_job) as a(at, job_id) where p.ctid = a.at;
    end if;
    if v_token_at <> '{}' and v_count > 0 then
${matchByGate("v_pair_tokens", "v_token_gate", "v_token_at")}
      update ${s}.token t set free_at = p_now + a.rest
      from unnest(v_set_at, v_set_rest) as a(at, rest) where t.ctid = a.at;
    end if;`;
}

/** Goes through the lanes of each gate and through what is locked, both in the order of the gates. */
const matchByGate = (most: string, gates: string, rows: string) => `      v_of := null;
      v_next := 1;
      v_set_at := '{}';
      v_set_job := '{}';
      v_set_rest := '{}';
      for i in 1 .. cardinality(v_pair_lane) loop
        continue when ${most}[i] is null;
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          -- What the last gate did not need.
          while ${gates}[v_next] < v_of collate "C" loop
            v_next := v_next + 1;
          end loop;
        end if;
        v_lane := v_pair_lane[i];
        for k in v_first[v_lane] .. v_first[v_lane] + v_taken[v_lane] - 1 loop
          if ${gates}[v_next] is distinct from v_of then
            raise exception 'a job of the limit and key % has no place', v_of using errcode = 'data_corrupted';
          end if;
          v_set_at := v_set_at || ${rows}[v_next];
          v_set_job := v_set_job || v_job[k];
          v_set_rest := v_set_rest || v_pair_rest[i];
          v_next := v_next + 1;
        end loop;
      end loop;`;
