import { claimName, type ClaimType } from "chainwright/adapter";
import type { Claiming } from "../operations/read-claimed.ts";
import type { Store } from "../store.ts";
import { createGates, hasRoomAhead } from "./gates.ts";
import { createInbox } from "./inbox.ts";
import { laneStatementsOf } from "./lane-statements.ts";
import { createLease, type Beginning, type Round } from "./lease-limited.ts";
import { dealTurns, type OpenLane } from "./turns.ts";
import { createVisitLane } from "./visit-lane.ts";

/** The part of a claim that begins jobs under limits. */
export interface LimitedClaim {
  /** Begins jobs of lanes whose first job has at least this priority. */
  take(least: number): void;
  /** Begins jobs ahead of the free slots: a turn of each lane that gave none for these, as far as their gates have room for that. */
  takeAhead(): void;
  /** When a lane of the claim's types that it did not visit may open; Infinity if only a place that becomes free opens one. */
  nextAt(): number;
}

interface LimitedRequest extends Claiming {
  /** Those that are not paused. */
  readonly types: readonly ClaimType[];
}

/** A claim visits this many lanes more than the jobs that it may return; the next one continues. */
const moreVisits = 100;
/** A gate that had to be looked at and is still closed is looked at again after this time. */
const lookAgainMs = 1_000;

type Types = Round["types"];
type Statements = ReturnType<typeof laneStatementsOf>;

export function createClaimLimited(store: Store): (request: LimitedRequest) => LimitedClaim {
  const statements = laneStatementsOf(store);
  const visitLanes = createVisitLanes(store, statements);
  const inbox = createInbox(store, statements);

  return ({ claim, types, now, claimed }) => {
    const byName = new Map(types.map((type) => [claimName(type), type]));
    const mostVisits = moreVisits + claim.limit;
    let [left, visits] = [claim.startable ?? claim.limit, 0];
    let [isLooking, hasPutOld] = [true, false];
    const visited = new Set<number>();
    const round: Round = { claim, types: byName, now, claimed, isAhead: false };
    /** As many turns as there is room for, or one of each lane if jobs of the inbox are next to these. */
    const visitOpen = (lanes: readonly OpenLane[], most: number, fresh: number): void => {
      const turns = turnsOf(lanes);
      const isShared = fresh === lanes[0]?.rank;
      if (isShared && turns >= most) inbox.putIntoLanes(most, fresh, round);
      visits += lanes.length;
      for (const { id } of lanes) visited.add(id);
      left -= visitLanes(lanes, isShared ? Math.min(most, turns) : most, round);
    };
    const takeFresh = (priority: number): void => {
      const most = Math.min(left, claim.limit - claimed.length);
      if (most <= 0) return;
      if (!hasPutOld && inbox.putOldIntoLanes(priority, round)) {
        hasPutOld = true;
        return;
      }
      const { begun, lanes, put } = inbox.take(most, priority, round);
      visits += put;
      for (const id of lanes) visited.add(id);
      left -= begun;
    };
    return {
      take: (least) => {
        if (isLooking) lookAtGates(statements, byName, now);
        isLooking = false;
        for (;;) {
          const most = Math.min(left, claim.limit - claimed.length);
          if (most <= 0 || visits > mostVisits) return;
          const lanes = firstLanes(statements, byName, most);
          const [rank, fresh] = [lanes[0]?.rank ?? -Infinity, inbox.highest(byName)];
          if (Math.max(rank, fresh) < least || Math.max(rank, fresh) === -Infinity) return;
          if (rank >= fresh) visitOpen(lanes, most, fresh);
          if (rank <= fresh) takeFresh(fresh);
        }
      },
      takeAhead: () => {
        const most = claim.limit - claimed.length;
        if (left > 0 || most <= 0) return;
        const lanes = firstLanes(statements, byName, most).filter(({ id }) => !visited.has(id));
        const ahead = { ...round, isAhead: true };
        const begun = visitLanes(lanes, Math.min(most, turnsOf(lanes)), ahead);
        if (begun < most) inbox.take(most - begun, Infinity, ahead);
      },
      nextAt: () => (visits > mostVisits ? now : lookAtGates(statements, byName, now)),
    };
  };
}

/** The jobs that the lanes may begin in one turn. */
function turnsOf(lanes: readonly OpenLane[]): number {
  return lanes.reduce((sum, { weight, served }) => sum + Math.max(1, weight - served), 0);
}

/** Opens the lanes of the claim's types whose gates have to be looked at. Returns when the first other one has to be. */
function lookAtGates(statements: Statements, types: Types, now: number): number {
  let next = Infinity;
  for (const { name, look_at: lookAt } of statements.firstLooks.all()) {
    if (!types.has(name)) continue;
    next = Math.min(next, Math.max(lookAt, now));
    if (lookAt > now) continue;
    const gates = statements.due.get(name, now)?.gates ?? "[]";
    statements.openGates.run(name, gates);
    statements.dropOpen.run(name, gates);
    statements.postpone.run(now + lookAgainMs, name, gates);
  }
  return next;
}

/** The open lanes of the highest rank, those of several claim names in turn. */
function firstLanes(statements: Statements, types: Types, most: number): readonly OpenLane[] {
  const names = statements.openNames.all().filter(({ name }) => types.has(name));
  const queues = names.map(({ name }) => statements.open.all(name, most));
  const rank = Math.max(...queues.map(([first]) => first?.rank ?? -Infinity));
  const ofRank = queues.map((lanes) => lanes.filter((lane) => lane.rank === rank));
  const [only, ...others] = ofRank;
  if (only !== undefined && others.length === 0) return only;
  const longest = Math.max(0, ...ofRank.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, place) => ofRank.flatMap((lanes) => lanes[place] ?? []));
  return inTurn.flat().slice(0, most);
}

/** Deals jobs to lanes. Returns how many began. */
function createVisitLanes(store: Store, statements: Statements) {
  const visitLane = createVisitLane(statements);
  const gatesOf = createGates(store);
  const lease = createLease(store, statements);

  return (lanes: readonly OpenLane[], jobs: number, round: Round): number => {
    const turns = new Map<string, number>();
    for (const { name, rank } of lanes) {
      if (!turns.has(name)) turns.set(name, statements.lastTurn.get(name, rank)?.turn ?? 0);
    }
    const ids = lanes.map(({ id }) => id);
    const gates = gatesOf(ids, round.now);
    const mayBeAhead = (lane: number, most: number) =>
      gates.of(lane).every((gate) => hasRoomAhead(gate, most, round.now));
    const visited: Beginning[] = [];
    const idle: number[] = [];
    for (const { lane, endedAs, ...share } of dealTurns(lanes, jobs)) {
      const type = round.types.get(lane.name);
      if (type === undefined || (round.isAhead && !mayBeAhead(lane.id, share.jobs))) continue;
      const turn = endedAs === undefined ? lane.turn : (turns.get(lane.name) ?? 0) + 1 + endedAs;
      const visit = visitLane(lane, { ...share, turn }, gates);
      visited.push({ ...visit, type });
      if (visit.isIdle) idle.push(lane.id);
    }
    gates.flush();
    lease(visited, round);
    if (idle.length > 0) statements.setIdle.run(JSON.stringify(idle));
    return visited.reduce((sum, visit) => sum + visit.jobs.length, 0);
  };
}
