import type { Allowance, Beginnings, Gates } from "./gates.ts";
import type { WaitingJob, laneStatementsOf } from "./lane-statements.ts";
import { keepsPlaces } from "./stored-limits.ts";
import type { OpenLane } from "./turns.ts";

/** How many jobs a lane gets, and where it is in the queue afterwards. */
export interface Turn {
  readonly jobs: number;
  readonly turn: number;
  readonly served: number;
}

/** What a visit found. */
export interface Visited {
  /** Jobs that begin, in their order. */
  readonly jobs: readonly WaitingJob[];
  /** Whether they keep their places while they wait for a retry. */
  readonly isKeeping: boolean;
  /** The half-open gates of which the only one of them is the probe. */
  readonly probed: readonly number[];
  /** Whether no other job waits in the lane. */
  readonly isIdle: boolean;
}

/** States of a lane, see the table. */
const [open, closed] = [1, 2];

/** Chooses the jobs of a lane that begin, as many as its gates allow, and gives the lane its place in the queue. */
export function createVisitLane(statements: ReturnType<typeof laneStatementsOf>) {
  /** A place that this lane leaves free may be for another one. */
  const openOthers = (allowances: readonly Allowance[], taken: Beginnings): void => {
    for (const { gate, places, begins } of allowances) {
      if (gate.closes === 0 || places <= taken.placed || begins <= taken.begun) continue;
      if (Number(statements.openNext.run(gate.id).changes) === 0) statements.dropClosed.run(gate.id);
    }
  };

  return (lane: OpenLane, { jobs, turn, served }: Turn, gates: Gates): Visited => {
    const isKeeping = keepsPlaces(lane.limits);
    const allowances = gates.allowances(lane.id, jobs);
    const begins = Math.min(jobs, ...allowances.map((each) => each.begins));
    const places = Math.min(...allowances.map((each) => each.places));
    // One more of each, to know what is left.
    const kept = isKeeping ? statements.kept.all(lane.id, begins + 1) : [];
    const beginning = kept.slice(0, begins);
    const most = Math.min(begins - beginning.length, places);
    const waiting = statements.others.all(lane.id, most + 1);
    const fresh = waiting.filter(({ priority }) => priority === lane.rank).slice(0, most);
    const taken = { placed: fresh.length, begun: beginning.length + fresh.length };
    const first = (beginning[0] ?? fresh[0])?.job;
    if (taken.begun > 0) for (const { gate } of allowances) gates.take(gate, { ...taken, first });

    const next = waiting[fresh.length]?.priority;
    const isIdle = next === undefined && kept.length === beginning.length;
    // It is closed by the gate that would have had to allow more, if it has more jobs.
    const isFull = most < jobs - beginning.length && fresh.length === most;
    const rank = next ?? lane.rank;
    if (!isIdle && isFull) {
      const byTime = kept.length > beginning.length || begins - beginning.length < places;
      const { gate, lookAt } = closing(allowances, byTime);
      // One that got nothing has not had its turn.
      const [nextTurn, nextServed] = taken.begun === 0 ? [lane.turn, lane.served] : [turn, 0];
      statements.setLane.run(closed, rank, nextTurn, nextServed, gate.id, lane.id);
      statements.noteClosed.run(gate.id, lane.name, lookAt ?? null);
    } else if (!isIdle) {
      statements.setLane.run(open, rank, turn, taken.begun === 0 ? lane.served : served, null, lane.id);
    }
    openOthers(allowances, taken);
    const probed = taken.begun > 0 ? allowances.filter(({ gate }) => gate.hasProbe === true) : [];
    return { jobs: [...beginning, ...fresh], isKeeping, isIdle, probed: probed.map(({ gate }) => gate.id) };
  };
}

/** The gate that allows least: by time, or by its places. */
function closing(allowances: readonly Allowance[], byTime: boolean): Pick<Allowance, "gate" | "lookAt"> {
  const of = byTime ? (each: Allowance) => each.begins : (each: Allowance) => each.places;
  const least = allowances.reduce((first, each) => (of(each) < of(first) ? each : first));
  return { gate: least.gate, lookAt: byTime ? least.lookAt : undefined };
}
