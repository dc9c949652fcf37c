import { wholeMs } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/** SQL for a signal as `job.received` has it. */
export const receivedSignal = (signal: {
  readonly name: string;
  readonly payload: string;
  readonly at: string;
  readonly id: string;
  readonly context: string;
}) =>
  `json_build_object('signal', ${signal.name}, 'payload', ${signal.payload}, 'at', ${wholeMs(signal.at)}, 'signalId', ${signal.id}, 'context', ${signal.context})::text`;

/** SQL for `job.received`, from an array of the signals. */
export const receivedOf = (signals: string) => `'[' || array_to_string(${signals}, ',') || ']'`;

/** Rule "endedBy": whether the last of the signals that a job has taken, of which these are the names, has ended its wait. */
export function endsWaitFunction(schema: Schema): string {
  return innerFunction(schema, {
    name: "ends_wait_v1",
    parameters: "p_waits json, p_names text[]",
    returns: "boolean",
    declare: `  v_last text := p_names[cardinality(p_names)];
  v_asked integer := (p_waits->'collect'->>v_last)::integer;`,
    body: `  if v_last is null then
    return false;
  elsif coalesce(v_asked, 1) = 1 then
    return true;
  end if;
  return (select count(*) from unnest(p_names) as n(name) where n.name = v_last) >= v_asked;`,
  });
}
