import type { CallOptions, PausedType } from "chainwright/adapter";
import type { PostgresRow } from "../driver.ts";
import { momentOf, numberOf, textOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** The job types that are paused, in the order of their names. */
export async function listPauses<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly PausedType[]> {
  const text = `with moment as (select ${momentOf("$1")} as now)
${selectPauses(s)}`;
  return (await run(tx, { text, parameters: [momentParameter(now)], prepare: true })).map(pausedTypeOf);
}

/** Selects the pauses whose time has not passed, as `pausedTypeOf` reads them. */
export function selectPauses(s: string): string {
  return `select p.type_name, p.reason, p."by", ${wholeMs("p.at")} as at, ${wholeMs("p.until")} as until, ${wholeMs("p.until - moment.now")} as ends_in
from ${s}.pause p, moment where p.until is null or p.until > moment.now order by p.type_name`;
}

export function pausedTypeOf([typeName, reason, by, at, until, endsInMs]: PostgresRow): PausedType {
  return {
    typeName: String(typeName),
    reason: textOf(reason),
    by: textOf(by),
    pausedAt: Number(at),
    until: numberOf(until),
    endsInMs: numberOf(endsInMs),
  };
}
