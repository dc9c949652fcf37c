import type { RepairOutcome, StoreFault } from "chainwright/adapter";
import { typeOf } from "../claim-names.ts";
import { keepsPlaces } from "../limits/stored-limits.ts";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";

/** SQL for the jobs that hold a place of the gate `g`. */
const holders = (t: Tables) => `(select count(*) from ${t.laneGate} lg
    join ${t.openJob} o indexed by ${t.openJob}_placed on o.placed is not null and o.lane = lg.lane where lg.gate = g.id)`;

/** A gate is named by its limit and key: it counts its places, and does not know whose they are. */
const gateName = "json_array(g.name, g.key)";

/** Selects the jobs among the rows `o` of a page that run without their places. */
export const jobsWithoutPlace = (t: Tables, page: string, idOf: (seq: string) => string): string =>
  `select 'job-without-place', ${idOf("o.job")}, ${idOf("o.chain")}, ${typeOf("o.type_name")}, null
  from ${page} join ${t.openJob} o on o.job = p.value ->> 0
  where o.state = 0 and o.lane is not null and o.placed is null`;

/** The gates of a page that count other places than jobs hold. */
export const wrongGates = (t: Tables, page: string): string =>
  `select iif(g.taken > ${holders(t)}, 'place-without-job', 'job-without-place') as kind, ${gateName} as id, null as chain,
    null as type, null as worker
  from ${page} join ${t.gate} g on g.id = p.value ->> 0 where g.taken <> ${holders(t)}`;

/** Repairs the places of a job or a gate. */
export function createMendPlaces({ tables: t, sql }: Store): (fault: StoreFault, job: number) => RepairOutcome {
  const lost = sql<{ id: number; limits: string }>(
    `select l.id, l.limits from ${t.openJob} o join ${t.lane} l on l.id = o.lane
     where o.job = ? and o.state = 0 and o.placed is null`,
  );
  const place = sql(`update ${t.openJob} set placed = ? where job = ?`);
  const take = sql(
    `update ${t.gate} set taken = taken + 1 where id in (select gate from ${t.laneGate} where lane = ?)`,
  );
  const gate = sql<{ id: number }>(
    `select g.id from ${t.gate} g where g.name = ? ->> 0 and g.key = ? ->> 1 and g.taken <> ${holders(t)}`,
  );
  const recount = sql(`update ${t.gate} as g set taken = ${holders(t)} where g.id = ?`);

  const mendGate = (name: string): RepairOutcome => {
    const found = gate.get(name, name);
    if (found === undefined) return "gone";
    // A lower count opens lanes, see `limits/triggers.ts`.
    recount.run(found.id);
    return "repaired";
  };
  return ({ id, chainId }, job) => {
    // A fault of a job names its chain.
    if (chainId === undefined) return mendGate(id);
    const lane = lost.get(job);
    if (lane === undefined) return "gone";
    place.run(keepsPlaces(lane.limits) ? 2 : 1, job);
    take.run(lane.id);
    return "repaired";
  };
}
