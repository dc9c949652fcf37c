import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { chooseLanes, readRules } from "./choose-lanes.ts";
import { lookIntoInbox, takeInbox } from "./inbox.ts";
import { lookAround, reopenLanes } from "./reopen-lanes.ts";
import { assignPlaces, leaseJobs } from "./take-jobs.ts";
import { noteProbes } from "./probes.ts";
import { takeKept } from "./take-kept.ts";
import { isNamed } from "./tables.ts";
import { takePlaces } from "./take-places.ts";
import { endTurns } from "./end-turns.ts";

/** How often a claim that is not full looks at the next lanes. */
const mostRounds = 4;

/** When to look at other lanes after a claim that visited only lanes whose jobs other transactions have locked. */
const heldLookMs = 100;

/**
 * Leases jobs under limits: visits open lanes in turn, a share each, and gives their jobs places of all their limits.
 *
 * It waits for no lock, because everything is locked with `skip locked`: so it cannot deadlock, and a place that a transaction of the
 * application gives back is free exactly when that commits. The only statement that may wait makes missing places, which another
 * claim may be making too, see `make_places_v1`.
 *
 * Returns the jobs with what a claim says about each, those of them that have blockers (null: none) and those that are probes, and when
 * to look again; null: no lane is closed. It also returns where the jobs of priority 0 begin in the inbox; null: it has none.
 */
export function leaseLanesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "lease_lanes_v1",
    parameters: `p_now double precision, p_worker text, p_types text[], p_leases double precision[], p_limit integer, p_ahead integer, p_inbox_from bigint, p_due_from double precision,
  out jobs uuid[], out types text[], out attempts integer[], out fences integer[], out since double precision[],
  out blocked uuid[], out noted uuid[], out probes uuid[], out look_at double precision, out inbox_from bigint`,
    returns: "record",
    declare: declarations,
    body: `  jobs := '{}';
  probes := '{}';
  types := '{}';
  attempts := '{}';
  fences := '{}';
  since := '{}';
${lookAround(s)}
  if v_has_inbox then
${lookIntoInbox(schema)}
  end if;
${reopenLanes(s)}
  if v_rows <> '{}' then
${takeInbox(s)}
  end if;
  if v_has_kept or v_has_events then
${takeKept(s)}
  end if;
  -- Where it has looked into the inbox, it knows whether lanes are open.
  if not v_has_inbox or v_has_events or v_has_looks or v_late is not null or v_open_gates <> '{}' then
    for v_round in 1 .. ${mostRounds} loop
      v_again := false;
      v_ahead := case v_round when 1 then v_ahead_left else 0 end;
      exit when v_left + v_ahead <= 0;
${chooseLanes(s)}
      exit when v_key is null;
${readRules(s)}
${takePlaces(s)}
${leaseJobs(s)}
${assignPlaces(s)}
${noteProbes(s)}
${endTurns(schema)}
      v_again := v_count > 0 or v_shuts > 0;
      exit when not v_again;
    end loop;
  end if;
  if v_left > 0 then
    look_at := case when v_again or v_has_more_events or v_is_more then p_now when v_is_left
      then p_now + ${heldLookMs} when ${hasMoreLanes(s)}
      then p_now + case when 0 < any(v_want) then ${heldLookMs} else 0 end else (
      select min(l.look_at)
      from unnest(p_types) as t(type_name), lateral (
        (select l.look_at from ${s}.lane l where ${isNamed("l", "t.type_name")} and l.look_at is not null order by l.look_at limit 1)
        union all
        (select k.look_at from ${s}.kept k where k.type_name = t.type_name order by k.look_at limit 1)) l) end;
  end if;`,
  });
}

/** Whether lanes are open that this claim has not visited: then the next one need not wait until a closed lane may open. */
const hasMoreLanes = (s: string) => `exists (
      select from unnest(p_types) as t(type_name), lateral (
        select from ${s}.lane l
        where ${isNamed("l", "t.type_name")} and l.state = 1 and l.key <> all(coalesce(v_seen, '{}')) limit 1) l)`;

const declarations = `  v_left integer := p_limit;
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
  v_locked integer[];`;
