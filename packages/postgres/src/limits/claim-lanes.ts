import { claimedMore, claimedRow, returnBlockers } from "../rules/claimed-rows.ts";
import { returnNotes } from "../notes/claimed-notes.ts";
import { resultColumns } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { probedLimits } from "./probes.ts";
import { gatesOf } from "./rules-of-gates.ts";

/*
 * The parts of a claim that look for jobs under limits. A claim that was not told to look for them evaluates none of this unless it puts
 * one into the inbox: each condition would cost it about 4,000 instructions, because Postgres prepares it anew in each transaction.
 */

/** What a claim does about lanes, as text. */
export interface LaneParts {
  readonly variables: string;
  /** Before it looks at anything. */
  readonly begin: string;
  /** When it has put the jobs in `v_filled` into the inbox. */
  readonly filled: string;
  readonly first: string;
  readonly last: string;
}

const variables = `  v_filled uuid[];
  v_lanes record;
  v_startable integer;
  v_lane_look double precision;`;

/** Of a claim that takes jobs under limits only if it puts one into the inbox itself. */
export function lanesOnTheWay(s: string): LaneParts {
  const filled = `      v_startable := v_left;
${claimFromLanes(s, "0")}`;
  return { variables, begin: "", filled, first: "", last: "" };
}

/**
 * Of a claim that may be told to look for them. Lanes come first if they cannot fill the claim. Otherwise they and the other jobs take
 * turns in coming first, at random, so that neither keeps the others out.
 */
export function lanesIfTold(s: string): LaneParts {
  return {
    variables: `${variables}
  v_is_limited boolean := p_limited is not null;
  v_lanes_come_first boolean;`,
    begin: `
  v_startable := coalesce(p_startable, p_limit)::integer;`,
    filled: "      v_is_limited := true;",
    first: `  v_lanes_come_first := v_startable < v_left or random() < 0.5;
  if v_is_limited and v_lanes_come_first then
${claimFromLanes(s, aheadOfSlots)}
  end if;
`,
    last: `  if v_is_limited and not v_lanes_come_first then
${claimFromLanes(s, aheadOfSlots)}
  end if;
`,
  };
}

/** After due jobs were made ready: puts those under limits into the inbox. */
export function fillInbox(s: string, { filled }: LaneParts): string {
  return `    if v_filled is not null then
      v_inbox_from := least(v_inbox_from, ${s}.fill_inbox_v1(v_now, v_filled));
${filled}
    end if;`;
}

/** How many jobs a claim takes ahead of the slots: half of what others may fill too. */
const aheadOfSlots = "greatest(0, v_left - v_startable) / 2";

function claimFromLanes(s: string, ahead: string): string {
  return `    select l.* into v_lanes
    from ${s}.lease_lanes_v1(v_now, p_worker, coalesce(v_asked, v_types), coalesce(v_asked_leases, v_leases),
      least(v_left, v_startable), ${ahead}, v_inbox_from, v_due_from) l;
    v_lane_look := v_lanes.look_at;
    v_inbox_from := coalesce(v_lanes.inbox_from, v_newest, 0);
    if v_lanes.jobs <> '{}' then
      return query select * from ${s}.leased_rows_v1(v_now, v_lanes.jobs, v_lanes.types, v_lanes.attempts, v_lanes.fences,
        v_lanes.since, v_lanes.blocked, v_lanes.noted, v_lanes.probes);
      v_left := v_left - cardinality(v_lanes.jobs);
    end if;`;
}

/** The rows of a claim about jobs that were leased from lanes. */
export function leasedRowsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const probes = `case when j.id = any(p_probes) then ${probedLimits(s, gatesOf("j.limits"))} end`;
  return innerFunction(schema, {
    name: "leased_rows_v1",
    parameters: `v_now double precision, p_jobs uuid[], p_types text[], p_attempts integer[], p_fences integer[],
  p_since double precision[], v_blocked uuid[], v_noted uuid[], p_probes uuid[]`,
    returns: `table(${resultColumns})`,
    declare: "",
    body: `  return query
  select r.*
  from unnest(p_jobs, p_types, p_attempts, p_fences, p_since) with ordinality as t(job_id, type_name, attempt, fence, since, n)
  join ${s}.job j on j.id = any(array[t.job_id])
  cross join lateral (
    select ${claimedRow("t.attempt", "t.fence")} union all
    select ${claimedMore(probes)} where j.limits is not null) r
  order by t.n;
${returnBlockers(s)}
${returnNotes(s)}`,
  });
}
