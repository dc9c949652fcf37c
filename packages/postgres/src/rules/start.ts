import { allNames, type NamesRead } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, lightFunction, now, outerFunction, refusalState, underWay } from "../sql-function.ts";
import { inboxLane } from "../limits/tables.ts";
import { laneColumns } from "../limits/stored-limits.ts";
import { dueOf, plainStartRecord, startRecord, writtenStatus } from "./begin.ts";
import { inTurnState } from "./begin-in-turn.ts";

/**
 * Begins chains and adds their blockers. Each call of the batch is all or nothing: if one is refused, the batch is rolled back to
 * the savepoint and repeated without that call.
 */
export function startFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "start_v1",
    parameters: "p_alone text, p_now text, p_starts text, p_blockers text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_skip integer[] := '{}';
  v_live boolean[];
  v_chains uuid[];
  v_announced boolean[];
  v_in_turn boolean := false;
  v_refusal json;`,
    body: `${guard}
  loop
    begin
${beginStarts(s)}
      exit;
    exception
      when sqlstate '${inTurnState}' then null;
      when sqlstate '${refusalState}' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select ${resultRow("refused", { n: "(v_refusal->>'n')::integer", refusal: "v_refusal::text" })};
    end;
  end loop;
  return query
  select ${startedRows(s)}
  where i.call <> all(v_skip) and (v_live[i.n + 1] or i.parent is null)
  order by i.n;`,
  });
}

/** Selects the rows of starts `i`, each from its chain's first job `j` and that job's row `o` in `open_job`, if it has one. */
export function startedRows(s: string): string {
  return `${resultRow("start", {
    n: "i.n",
    chainId: "j.id",
    typeName: "j.type_name",
    createdAt: "j.created_at",
    dueInMs: "case when v_live[i.n + 1] or v_announced[i.n + 1] is not null then o.due_at - v_now end",
    jobStatus: `case when v_live[i.n + 1] then ${writtenStatus("v_now")} end`,
    chainStatus: "case when not v_live[i.n + 1] then j.chain_status::integer end",
    input: "case when not v_live[i.n + 1] then j.input end",
    version: "case when not v_live[i.n + 1] then j.version::integer end",
    announced: "v_announced[i.n + 1]::integer",
  })}
  from jsonb_to_recordset(v_starts) as i(${startRecord})
  join ${s}.job j on j.id = any(array[v_chains[i.n + 1]])
  left join ${s}.open_job o on o.job_id = any(array[case when v_announced[i.n + 1] is null then i.id else j.id end])`;
}

/** Together, or one after the other where a start in the batch got a chain that has failed as it began. */
export function beginStarts(s: string): string {
  return `      if v_in_turn then
        select b.live, b.chains into v_live, v_chains from ${s}.begin_in_turn_v1(v_now, v_starts, v_blockers_json, v_skip) b;
      else
        select b.live, b.chains into v_live, v_chains from ${s}.begin_v1(v_now, v_starts, v_skip, null, null) b;
        perform ${s}.block_v1(v_now, v_starts, v_blockers_json, v_live, v_chains, null);
        -- Whether a start got a chain that failed as it began, which has freed the key.
        select bool_or(f.key_scope = 0 and f.chain_status > 1) into v_in_turn
        from unnest(v_live, v_chains) as i(is_live, chain) join ${s}.job f on f.id = any(array[i.chain])
        where not i.is_live;
        if v_in_turn then
          raise exception 'one after the other' using errcode = '${inTurnState}';
        end if;
      end if;
${gatherStarts(s)}`;
}

/** Begins those that begin_v1 has left to gather_v1. */
export function gatherStarts(s: string): string {
  return `      -- Looks at the text only: most calls have none of these.
      if v_starts @? '$[*] ? (@.scope > 1)' then
        select g.live, g.chains, g.announced into v_live, v_chains, v_announced
        from ${s}.gather_v1(v_now, v_starts, v_skip, v_live, v_chains) g;
      end if;`;
}

/**
 * Begins chains without blockers, deduplication and tags, in one statement. Returns null if an id is taken. Without this function a
 * start takes 69 % more CPU of client and server from 50 callers and 105 % more in batches of 100. The savepoint costs nothing
 * measurable: 8.5 us of server time per start in batches of 100, against 11 us with "on conflict do nothing".
 */
export function startPlainFunction(schema: Schema, names: NamesRead): string {
  return startText(schema, names, withoutLimits);
}

/** The same for chains that may be under limits. Those that are wait in the inbox. */
export function startLimitedFunction(schema: Schema): string {
  return startText(schema, allNames, withLimits);
}

/** What a start writes for limits. */
interface LimitsRead {
  readonly name: string;
  readonly record: string;
  readonly ofJob: readonly [columns: string, values: string];
  readonly ofOpenJob: readonly [columns: string, values: string];
  /** A column more of the starts. */
  readonly nth: string;
  readonly state: string;
  /** The statement that writes open jobs, and what follows it. */
  readonly open: (openJobs: string, s: string) => string;
}

const withoutLimits: LimitsRead = {
  name: "start_plain",
  record: plainStartRecord,
  ofJob: ["", ""],
  ofOpenJob: ["", ""],
  nth: "",
  state: "case when i.due_at > v_now then 1 else 0 end",
  open: (openJobs) => openJobs,
};

/** The first job of each claim name is written as one that is due: so every claim notices that jobs under limits are there. */
const withLimits: LimitsRead = {
  name: "start_limited",
  record: `${plainStartRecord}, limits json`,
  ofJob: [", limits", ", i.limits::text"],
  ofOpenJob: [", lane, lane_weight, lane_holds", `, ${laneColumns("i.limits")}`],
  nth: ", row_number() over (partition by i.type, i.limits is null order by i.position) as nth",
  state: "case when i.due_at > v_now then 1 when i.limits is null then 0 when i.nth = 1 then 1 else 3 end",
  open: (openJobs, s) => `  opened as (
${openJobs})
  insert into ${s}.parked (lane, type_name, rank, position, job_id)
  select ${inboxLane}, i.type, ~i.priority, i.position, i.id from starts i where i.limits is not null and i.due_at <= v_now and i.nth > 1`,
};

function startText(
  schema: Schema,
  names: NamesRead,
  { name, record, ofJob, ofOpenJob, nth, state, open }: LimitsRead,
): string {
  const { quoted: s, positions } = schema;
  const given = `    select i.*, nextval(${positions}) as position, ${dueOf("i", "v_now")} as due_at
    from json_to_recordset(p_starts::json) as i(${record})`;
  const openJobs = `  insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name${ofOpenJob[0]})
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, ${state}, ~i.priority, false, i.type${ofOpenJob[1]}
  from starts i`;
  return lightFunction(schema, {
    name: `${name}${names.suffix}_v1`,
    parameters: "p_alone text, p_now text, p_starts text",
    returns: "bigint",
    declare: `${underWay}  v_now double precision := ${now};`,
    body: `${guard}
  with starts as materialized (
${nth === "" ? given : `    select i.*${nth} from (\n${given}) i`}),
  jobs as (
    insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context${names.columns}${ofJob[0]})
    select i.id, i.id, 1, ${names.typeOf("i.type")}, i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context${names.values("i.type")}${ofJob[1]}
    from starts i)${nth === "" ? "" : ","}
${open(openJobs, s)};
  return v_now;
exception when unique_violation then
  return null;`,
  });
}
