import { resultColumns, resultRow } from "../result-rows.ts";
import { beginStarts, startedRows } from "../rules/start.ts";
import { inTurnState } from "../rules/begin-in-turn.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction, refusalState } from "../sql-function.ts";
import { overtakenState } from "./deliver.ts";
import { topicsOf } from "./topic-locks.ts";

/** The signals of starts, in the parameter `p_signals`. They are numbered from 0. */
const givenSignals = `json_to_recordset(p_signals::json) as g(n integer, start integer, call integer, type text, name text, payload text, id text, context text)`;

/**
 * The same as `start_v1` for starts that wait for signals or have some. Signals reach a new chain before its first job begins to wait.
 *
 * If the chain that holds a key of a start with signals has ended, its key is taken away. If it ends before it is locked, all begins
 * again.
 */
export function startWaitingFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "start_waiting_v1",
    parameters: "p_alone text, p_now text, p_starts text, p_blockers text, p_signals text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_skip integer[] := '{}';
  v_live boolean[];
  v_chains uuid[];
  v_announced boolean[];
  v_in_turn boolean := false;
  v_ended uuid[];
  v_items json;
  v_refusal json;`,
    body: `${guard}
  loop
    begin
      perform ${s}.lock_topics_v1(${topicsOf("v_starts")}, false, false);
${freeKeysOfEndedChains(s)}
${beginStarts(s)}
${storeSignals(s)}
      perform ${s}.begin_waits_v1(v_now, v_starts, v_live);
${deliverToHolders(s)}
      exit;
    exception
      when sqlstate '${inTurnState}' then null;
      when sqlstate '${overtakenState}' then null;
      when sqlstate '${refusalState}' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_refusal := ${callOfRefusal};
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select ${resultRow("refused", { n: "(v_refusal->>'n')::integer", refusal: "v_refusal::text" })};
    end;
  end loop;
${returnSignals(s)}
  return query
  select ${startedRows(s)}
  where i.call <> all(v_skip) and (v_live[i.n + 1] or i.parent is null)
  order by i.n;`,
  });
}

function freeKeysOfEndedChains(s: string): string {
  const keys = `array(
          select i.key from jsonb_to_recordset(v_starts) as i(n integer, key text, scope smallint)
          where i.scope < 2 and i.n = any(array(select g.start from ${givenSignals})))`;
  return `      if p_signals is not null then
        v_ended := array(
          select f.id from ${s}.job f
          where f.id = any(array(select d.chain_id from ${s}.deduplication d where d.key = any(${keys}))) and f.chain_status > 0
          order by f.id for no key update);
        delete from ${s}.deduplication d where d.key = any(${keys}) and d.chain_id = any(v_ended);
      end if;`;
}

/** Stores the signals of new chains. */
function storeSignals(s: string): string {
  return `      if p_signals is not null then
        insert into ${s}.signal (chain_id, position, type_name, name, payload, signal_id, context, at)
        select v_chains[g.start + 1], row_number() over (partition by g.start order by g.n), g.type, g.name, g.payload, g.id, g.context, v_now
        from ${givenSignals} where v_live[g.start + 1] order by g.n
        on conflict (chain_id, signal_id) where signal_id is not null do nothing;
        update ${s}.job f set signals = true
        where f.id = any(array(select v_chains[g.start + 1] from ${givenSignals} where v_live[g.start + 1]));
      end if;`;
}

function deliverToHolders(s: string): string {
  return `      if p_signals is not null then
        -- Those of new chains, and of calls that are refused, have no chain here.
        select json_agg(json_build_object('n', g.n, 'type', g.type, 'name', g.name, 'payload', g.payload, 'id', g.id, 'context', g.context,
          'chain', case when not v_live[g.start + 1] and g.call <> all(v_skip) then v_chains[g.start + 1] end))
        into v_items from ${givenSignals};
        return query select * from ${s}.deliver_v1(v_now, v_items, true);
      end if;`;
}

/** The results of the signals of new chains. */
function returnSignals(s: string): string {
  return `  if p_signals is not null then
    return query
    select ${resultRow("signalled", {
      n: "g.n",
      delivered:
        "case when r.chain_id is null then 'deduplicated' when r.taken_by is null then 'buffered' else 'taken' end",
      reached: "null",
    })}
    from (
      select g.n, g.start, g.id, row_number() over (partition by g.start order by g.n) as position
      from ${givenSignals} where v_live[g.start + 1] and g.call <> all(v_skip)) g
    left join ${s}.signal r on r.chain_id = any(array[v_chains[g.start + 1]]) and r.position = g.position;
  end if;`;
}

/** The number of a refused signal becomes that of its call. */
const callOfRefusal = `coalesce((
          select (v_refusal::jsonb || jsonb_build_object('n', g.call))::json from ${givenSignals} where g.n = (v_refusal->>'signal')::integer),
          v_refusal)`;
