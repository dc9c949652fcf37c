import { claimName } from "../model/claim-name.ts";
import type { ClaimedLimit, LimitKey } from "../model/limit.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Claim } from "../ports/exchange.ts";
import { withProbe } from "../rules/breaker.ts";
import { claimFrom } from "./claim.ts";
import type { Asked, Round } from "./claim.ts";
import { breakerOf, hasRoomAhead, isOpen, spendTokens } from "./gates.ts";
import { setFacts } from "./limit-facts.ts";
import { takeOldest } from "./lanes.ts";
import { peekKey } from "./lazy-heap.ts";
import { leaseJob } from "./lease-job.ts";
import { closeLane, nextTurn, openLanes, openNext, openPriority, putBackLane, takeLane } from "./limit-lanes.ts";
import type { JobRow, LimitLane, TypeRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/*
 * How jobs under limits are claimed. Open lanes of one type and priority take turns. A turn gives a lane as many jobs as its weight,
 * times its share of what a large claim asks for. A lane that meets a gate without room is closed until the gate has some.
 */

/** Leases ready jobs, those under limits too: by priority, then in the order of the types. Jobs with and without limits take turns in being first. */
export function claimWithLimits(store: Store, claim: Claim, now: number): readonly ClaimedJob[] {
  const { limits } = store;
  limits.isFresh = false;
  limits.isFirst = !limits.isFirst;
  const asked = typesOf(store, claim);
  const startable = Math.min(claim.startable ?? claim.limit, claim.limit);
  const types = asked.map(({ type }) => type);
  openLanes(limits, types, { now, most: startable });
  const claimed: ClaimedJob[] = [];
  const begun = { left: startable, visited: new Set<LimitLane>() };
  while (claimed.length < claim.limit) {
    const priority = highestAmong(asked, begun);
    if (priority === undefined) break;
    for (const { type, leaseMs } of asked) {
      const turn: Turn = { leaseMs, claim, now, claimed, priority, begun };
      if (limits.isFirst) visitLanes(store, type, turn);
      const [lane] = type.busy;
      if (lane?.priority === priority) claimFrom(store, lane, turn);
      if (!limits.isFirst) visitLanes(store, type, turn);
    }
  }
  if (startable === claim.limit) return claimed;
  for (const { type, leaseMs } of asked) takeAhead(store, type, { leaseMs, claim, now, claimed, begun });
  return claimed;
}

/** When the first gate opens by itself that holds back jobs of these types. */
export function nextLookAt({ lanes }: Store, { types }: Claim): number | undefined {
  let next: number | undefined;
  for (const each of types) {
    const looks = lanes.types.get(claimName(each))?.limits?.looks;
    const at = looks && peekKey(looks);
    if (at !== undefined) next = Math.min(next ?? at, at);
  }
  return next;
}

interface Turn extends Round {
  readonly priority: number;
  readonly begun: Begun;
}

interface Begun {
  /** How many more jobs under limits the claim may take for free slots. */
  left: number;
  /** The lanes that it has visited. */
  readonly visited: Set<LimitLane>;
}

function typesOf({ lanes }: Store, { types }: Claim): readonly Asked[] {
  return types.flatMap((each) => {
    const type = lanes.types.get(claimName(each));
    return type === undefined ? [] : [{ type, leaseMs: each.leaseMs }];
  });
}

function highestAmong(asked: readonly Asked[], { left }: Begun): number | undefined {
  let highest: number | undefined;
  for (const { type } of asked) {
    for (const priority of [type.busy[0]?.priority, left > 0 ? openPriority(type) : undefined])
      if (priority !== undefined && (highest === undefined || priority > highest)) highest = priority;
  }
  return highest;
}

/** Visits lanes one after the other, because the visit of one may open another whose turn comes before those that are open. */
function visitLanes(store: Store, type: TypeRow, turn: Turn): void {
  // The open lanes that have been visited in this round, and the sum of their weights: the others share what is left.
  const visited = new Set<LimitLane>();
  let visitedWeight = 0;
  for (let left = leftOf(turn); left > 0; left = leftOf(turn)) {
    const lane = takeLane(type, turn.priority);
    if (lane === undefined) return;
    if (visited.has(lane)) {
      visited.clear();
      visitedWeight = 0;
    }
    turn.begun.visited.add(lane);
    const others = (type.limits?.openWeight ?? 0) - visitedWeight;
    const share = Math.ceil(left / (lane.weight + Math.max(0, others)));
    visit(store, lane, { ...turn, most: lane.weight * share - lane.took });
    if (lane.state === undefined || lane.state.gate !== undefined) continue;
    visited.add(lane);
    visitedWeight += lane.state.weight;
  }
}

function visit(store: Store, lane: LimitLane, turn: Turn & { readonly most: number }): void {
  const { claim, leaseMs, now, claimed, begun } = turn;
  for (let most = Math.min(turn.most, leftOf(turn)); most > 0 && lane.live > 0; most -= 1) {
    const isKept = lane.kept.live > 0;
    const gate = lane.gates.find((each) => !isOpen(each, isKept, now));
    if (gate !== undefined) {
      closeLane(store.limits, lane, { gate, now });
      break;
    }
    const row = takeFirst(lane);
    if (row === undefined) break;
    spendTokens(store, lane.gates, now);
    claimed.push(noteProbe(store, lane, leaseJob(store, row, { workerId: claim.workerId, leaseMs, now })));
    begun.left -= 1;
    lane.took += 1;
  }
  if (lane.state === undefined) {
    if (lane.took >= lane.weight) nextTurn(store.limits, lane);
    putBackLane(lane);
  }
  openOthers(lane, now);
}

/** A gate that was freed for this lane may have room that the lane did not need. */
function openOthers({ gates, type }: LimitLane, now: number): void {
  for (const gate of gates) {
    const closed = gate.closed.get(type);
    if (closed !== undefined) openNext(closed, now);
  }
}

/**
 * Claims jobs ahead of the slots, a turn of each open lane that gave none for free slots. A lane whose gates have no room for that stays as it
 * is.
 */
function takeAhead(store: Store, type: TypeRow, { leaseMs, claim, now, claimed, begun }: Omit<Turn, "priority">): void {
  const passed: LimitLane[] = [];
  for (let visits = claim.limit - claimed.length; visits > 0; visits -= 1) {
    const priority = openPriority(type);
    const lane = priority === undefined ? undefined : takeLane(type, priority);
    if (lane === undefined) break;
    passed.push(lane);
    if (begun.visited.has(lane)) continue;
    for (; lane.took < lane.weight && claimed.length < claim.limit && lane.kept.live === 0; lane.took += 1) {
      const row = lane.gates.every((gate) => hasRoomAhead(gate, now)) ? takeFirst(lane) : undefined;
      if (row === undefined) break;
      claimed.push(leaseJob(store, row, { workerId: claim.workerId, leaseMs, now }));
    }
    if (lane.took >= lane.weight) nextTurn(store.limits, lane);
  }
  for (const lane of passed) {
    putBackLane(lane);
    openOthers(lane, now);
  }
}

/** A job that begins is the probe of its half-open gates. */
function noteProbe(store: Store, { gates }: LimitLane, job: ClaimedJob): ClaimedJob {
  if (gates.every(({ limit }) => limit.keys.size === 0)) return job;
  const probed = new Set<string>();
  for (const gate of gates) {
    const breaker = withProbe(breakerOf(gate), job.id);
    if (breaker === undefined) continue;
    const { limit, key } = gate;
    setFacts(store, limit, key, { override: undefined, pausedUntil: undefined, ...limit.keys.get(key), breaker });
    probed.add(limit.name);
  }
  return probed.size === 0 ? job : { ...job, limits: job.limits?.map((each) => probedLimit(each, probed)) };
}

function probedLimit({ limit, key }: LimitKey, probed: ReadonlySet<string>): ClaimedLimit {
  return probed.has(limit) ? { limit, key, isProbe: true } : { limit, key };
}

function takeFirst({ busy }: LimitLane): JobRow | undefined {
  for (let [first] = busy; first !== undefined; [first] = busy) {
    const row = takeOldest(first);
    if (row !== undefined) return row;
  }
  return undefined;
}

function leftOf({ claim, claimed, begun }: Turn): number {
  return Math.min(begun.left, claim.limit - claimed.length);
}
