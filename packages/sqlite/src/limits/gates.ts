import type { Store } from "../store.ts";
import { createBreakers, lookMs, type BreakableGate } from "./breakers.ts";

/** A gate, with the numbers that count for it now. */
export interface Gate extends BreakableGate {
  taken: number;
  begun: number;
  readonly concurrency: number | null;
  readonly rate_count: number | null;
  readonly rate_per_ms: number | null;
  readonly rate_spread: number | null;
  /** 0: no one has said what the limit allows. */
  readonly declared: number;
  /** 0: it is not paused. */
  readonly paused_until: number;
  /** Whether it has closed lanes. */
  readonly closes: number;
}

/** What a gate allows. */
export interface Allowance {
  readonly gate: Gate;
  /** Jobs that may begin, as far as pauses and the rate allow. */
  readonly begins: number;
  /** Free places. */
  readonly places: number;
  /** When `begins` may grow. Undefined: it is not known. */
  readonly lookAt: number | undefined;
}

export interface Window {
  readonly count: number;
  readonly perMs: number;
}

/** A pause that has to be resumed ends then. */
export const forever = Number.MAX_SAFE_INTEGER;

/** The window in which a gate counts beginnings. Evenly spaced ones are one in each part of it. */
export function windowOf({ rate_count: count, rate_per_ms: perMs, rate_spread: spread }: Gate): Window | undefined {
  if (count === null || perMs === null) return undefined;
  return spread === 1 ? { count: 1, perMs: Math.ceil(perMs / count) } : { count, perMs };
}

/** The gates of the lanes that a claim visits together. Lanes that share a gate share its counts. */
export interface Gates {
  of(lane: number): readonly Gate[];
  /** What each gate of a lane allows, of as many jobs as are wanted. */
  allowances(lane: number, want: number): readonly Allowance[];
  /** Takes a place of the gate for each of `placed` jobs, and counts `begun` beginnings. */
  take(gate: Gate, jobs: Beginnings): void;
  /** Writes what was taken. */
  flush(): void;
}

export interface Beginnings {
  readonly placed: number;
  /** Those, and jobs that had kept their places. */
  readonly begun: number;
  /** The first of the jobs. */
  readonly first?: number | undefined;
}

/** SQL for what counts for a gate `g` of a limit `r`: its own numbers, or those of all keys. */
export const countingColumns = `coalesce(g.concurrency, r.concurrency) as concurrency,
  coalesce(g.rate_count, r.rate_count) as rate_count, coalesce(g.rate_per_ms, r.rate_per_ms) as rate_per_ms,
  coalesce(g.rate_spread, r.rate_spread) as rate_spread, r.declared is not null as declared,
  max(coalesce(g.paused_until, 0), coalesce(r.paused_until, 0)) as paused_until, g.breaker`;

interface LaneGate extends Gate {
  readonly lane: number;
}

function statementsOf({ tables: t, sql }: Store) {
  return {
    ofLanes: sql<LaneGate>(
      `select lg.lane, g.id, g.taken, g.begun, ${countingColumns},
         exists (select 1 from ${t.closedName} c where c.gate = g.id) as closes
       from json_each(?) asked cross join ${t.laneGate} lg on lg.lane = asked.value
       cross join ${t.gate} g on g.id = lg.gate left join ${t.limitRule} r on r.name = g.name`,
    ),
    // The beginning that has to leave the window before one more may be added, of those that the wanted ones would push out.
    resting: sql<{ n: number; at: number }>(
      `select n, at from ${t.beginning} where gate = ? and n > ? and n <= ? and at > ? order by n limit 1`,
    ),
    take: sql(`update ${t.gate} set taken = taken + ?, begun = begun + ? where id in (select value from json_each(?))`),
    note: sql(`insert into ${t.beginning} (gate, n, at) values (?, ?, ?)`),
    forget: sql(`delete from ${t.beginning} where gate = ? and n <= ?`),
  };
}

/**
 * Whether so many jobs may be claimed ahead of the slots. They keep no other worker from beginning one, because half of the places stay
 * free. With a rate there are none, because they begin after the moment of their claim, and none while failures count, because the key
 * may be closed until then.
 */
export function hasRoomAhead(gate: Gate, jobs: number, now: number): boolean {
  const { declared, breaker, concurrency, rate_count: rate, paused_until: pausedUntil, taken } = gate;
  if (declared === 0 || breaker !== null || rate !== null || pausedUntil > now) return false;
  return concurrency === null || taken + jobs <= concurrency / 2;
}

/**
 * Whether a job may begin without a turn of its lane: no other one waits for the gate, and its room depends neither on time nor on
 * failures.
 */
export function hasRoomAtOnce(gate: Gate, now: number): boolean {
  const { declared, breaker, concurrency, rate_count: rate, paused_until: pausedUntil, taken, closes } = gate;
  if (declared === 0 || breaker !== null || rate !== null || pausedUntil > now || closes === 1) return false;
  return concurrency === null || taken < concurrency;
}

export function createGates(store: Store): (lanes: readonly number[], now: number) => Gates {
  const statements = statementsOf(store);
  const breakers = createBreakers(store);

  const beginsOf = (gate: Gate, want: number, now: number): Pick<Allowance, "begins" | "lookAt"> => {
    if (gate.declared === 0) return { begins: 0, lookAt: now + lookMs };
    if (gate.paused_until > now) {
      return { begins: 0, lookAt: gate.paused_until === forever ? undefined : gate.paused_until };
    }
    const window = windowOf(gate);
    if (window === undefined) return { begins: Infinity, lookAt: undefined };
    const { count, perMs } = window;
    const oldest = gate.begun - count;
    const first = statements.resting.get(gate.id, oldest, oldest + Math.min(want, count), now - perMs);
    if (first === undefined) return { begins: count, lookAt: now + perMs };
    return { begins: first.n - oldest - 1, lookAt: first.at + perMs };
  };

  return (lanes, now) => {
    const gates = new Map<number, Gate>();
    const taken = new Map<number, Beginnings>();
    const byLane = Map.groupBy(statements.ofLanes.all(JSON.stringify(lanes)), ({ lane }) => lane);
    const shared = (gate: Gate): Gate => {
      const known = gates.get(gate.id) ?? gate;
      gates.set(gate.id, known);
      return known;
    };
    const gatesOf = (lane: number) => (byLane.get(lane) ?? []).map(shared);
    return {
      of: gatesOf,
      allowances: (lane, want) =>
        gatesOf(lane).map((gate) => {
          const places = gate.concurrency === null ? Infinity : Math.max(0, gate.concurrency - gate.taken);
          return { gate, places, ...breakers.begins(gate, now, (most) => beginsOf(gate, Math.min(want, most), now)) };
        }),
      take: (gate, { placed, begun, first }) => {
        breakers.noteProbe(gate, first);
        const window = windowOf(gate);
        const counted = window === undefined ? 0 : begun;
        const before = taken.get(gate.id) ?? { placed: 0, begun: 0 };
        taken.set(gate.id, { placed: before.placed + placed, begun: before.begun + counted });
        gate.taken += placed;
        for (let n = gate.begun + 1; n <= gate.begun + counted; n++) statements.note.run(gate.id, n, now);
        gate.begun += counted;
        if (window !== undefined) statements.forget.run(gate.id, gate.begun - window.count);
      },
      flush: () => {
        const alike = Map.groupBy(taken, ([, { placed, begun }]) => `${placed} ${begun}`);
        for (const each of alike.values()) {
          const [[, { placed, begun }] = [0, { placed: 0, begun: 0 }]] = each;
          statements.take.run(placed, begun, JSON.stringify(each.map(([id]) => id)));
        }
      },
    };
  };
}
