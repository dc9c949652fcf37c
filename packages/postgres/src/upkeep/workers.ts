import { forgetHistory } from "./history.ts";
import { forgetLostWorkers } from "./lost-workers.ts";
import { removePassedPauses } from "../rules/pause.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";
import { passColumns } from "./chore.ts";

/**
 * Deletes workers that were lost long ago, and pauses whose time has passed. There are few of them, so it needs no index and no row in
 * `upkeep`. Repairs and tidies limits if there are any, and returns how many jobs it repaired as `removed`.
 */
export function workersFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "workers_v1",
    parameters: "p_alone text, p_now text, p_limit text",
    returns: `table(${passColumns})`,
    declare: `  v_now double precision := ${now};
  v_removed integer;
  v_tidied integer := 0;
  v_repaired integer := 0;
  v_forgotten integer;`,
    body: `${guard}
  ${removePassedPauses(s)}
  ${forgetLostWorkers(s, { now: "v_now", limit: "p_limit::integer" })}
  get diagnostics v_removed = row_count;
  if exists (select from ${s}.lane) or exists (select from ${s}.place) or exists (select from ${s}.parked) or exists (select from ${s}.gate_rule) then
    v_repaired := ${s}.repair_places_v1(p_limit::integer);
    v_tidied := ${s}.tidy_limits_v1(v_now, p_limit::integer);
  end if;
${forgetHistory(s, { now: "v_now", limit: "p_limit::integer", count: "v_tidied" })}
  return query select v_repaired, (greatest(v_removed, v_tidied, v_repaired) >= p_limit::integer)::integer;`,
  });
}
