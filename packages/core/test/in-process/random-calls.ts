import { exchange } from "../../src/in-process/operations/exchange.ts";
import { heartbeat } from "../../src/in-process/operations/heartbeat.ts";
import { renew } from "../../src/in-process/operations/renew.ts";
import { chainOf, lastOf } from "../../src/in-process/row-types.ts";
import type { JobRow } from "../../src/in-process/row-types.ts";
import type { InProcessRows } from "../../src/in-process/rows.ts";
import type { Store } from "../../src/in-process/store.ts";
import type { BlockerStart, Deduplication, JobStart } from "../../src/model/job-start.ts";
import type { Fence, Outcome } from "../../src/model/outcome.ts";
import { start } from "../../src/rules/begin.ts";
import { cancel } from "../../src/rules/cancel.ts";
import { remove, retry, trigger } from "../../src/rules/change.ts";
import { settle } from "../../src/rules/settle.ts";

/** A call that means the same on any store. */
export type StoreCall = (rows: InProcessRows) => unknown;

export type Random = (below: number) => number;

/** A small, seeded generator (mulberry32): the same seed, the same calls. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** Calls of every kind except upkeep, about rows that the store has when they are generated, so that most are accepted and many conflict. */
export function createRandomCalls(random: Random, store: Store): () => StoreCall {
  const dice: Dice = { random, store, written: 0 };
  let now = 1_000;
  return () => {
    now += random(10);
    // Calls that end or delete chains are rarer, because the other calls need open chains.
    const kind = random(3) === 0 ? pick(random, rare) : pick(random, common);
    return kind(dice, now);
  };
}

interface Dice {
  readonly random: Random;
  readonly store: Store;
  written: number;
}

type Kind = (dice: Dice, at: number) => StoreCall;

const typeNames = ["a", "b", "c"];
const workerIds = ["w1", "w2"];

const common: readonly Kind[] = [someStarts, someExchange, someExchange, someExchange, someSettle, someRenew];

const rare: readonly Kind[] = [
  (dice, at) => {
    const ids = [someRow(dice)?.id ?? "none"];
    return (rows) => trigger(rows, ids, at);
  },
  (dice, at) => {
    const items = times(1 + dice.random(2), () => ({ chainId: someChainId(dice), reason: "enough" }));
    return (rows) => cancel(rows, items, at);
  },
  (dice, at) => {
    const input = dice.random(2) === 0 ? "7" : undefined;
    const items = [{ chainId: someChainId(dice), input, typeName: undefined }];
    return (rows) => retry(rows, items, at);
  },
  (dice, at) => {
    const request = { chainIds: [someChainId(dice)], cascade: dice.random(3) === 0 };
    return (rows) => remove(rows, request, at);
  },
  ({ random }, at) => {
    const workerId = pick(random, workerIds);
    const said = { workerId, name: workerId, typeNames, concurrency: 1, holds: 0, aliveForMs: random(3) * 50 };
    return ({ store }) => {
      heartbeat(store, said, at);
    };
  },
];

function someStarts(dice: Dice, at: number): StoreCall {
  const calls = times(1 + dice.random(3), () => ({ starts: times(1 + dice.random(3), () => someStart(dice, 0)) }));
  return (rows) => start(rows, calls, at);
}

function someExchange(dice: Dice, at: number): StoreCall {
  const { random } = dice;
  const outcomes = times(random(4), () => someOutcome(dice));
  const types = typeNames.map((typeName) => ({ typeName, leaseMs: 20 + random(100) }));
  const claim = { workerId: pick(random, workerIds), types, limit: 1 + random(8) };
  return (rows) => exchange(rows, { outcomes, claim }, at);
}

function someSettle(dice: Dice, at: number): StoreCall {
  const outcomes = times(6, () => someOutcome(dice));
  return (rows) => settle(rows, outcomes, at);
}

function someRenew(dice: Dice, at: number): StoreCall {
  const held = times(4, () => ({ jobId: someRow(dice)?.id ?? "none", fence: 1, leaseMs: 50 }));
  const workerId = pick(dice.random, workerIds);
  return (rows) => renew(rows, { workerId, held }, at);
}

function someStart(dice: Dice, depth: number): JobStart {
  const { random } = dice;
  dice.written += 1;
  // Not quite in order, and sometimes an id that exists already.
  const own = `id-${String(dice.written * 8 - random(32) + 100).padStart(4, "0")}`;
  return {
    id: random(20) === 0 ? (someRow(dice)?.id ?? own) : own,
    typeName: pick(random, typeNames),
    input: String(random(100)),
    priority: random(3) - 1,
    schedule: random(4) === 0 ? { afterMs: random(60) } : undefined,
    blockers: times(random(3) === 0 ? random(4) : 0, () => someBlocker(dice, depth)),
    onBlockerFailure: random(3) === 0 ? "wait" : "fail",
    deduplication: random(4) === 0 ? someDeduplication(random) : undefined,
    context: undefined,
  };
}

function someBlocker(dice: Dice, depth: number): BlockerStart {
  if (depth < 2 && dice.random(3) === 0) return { start: someStart(dice, depth + 1) };
  return { chainId: someChainId(dice), typeName: undefined };
}

function someDeduplication(random: Random): Deduplication {
  const scope = random(2) === 0 ? "active" : "any";
  return { key: `k${random(4)}`, scope, windowMs: random(2) === 0 ? random(80) : undefined };
}

function someOutcome(dice: Dice): Outcome {
  const { random } = dice;
  const target = someTarget(dice);
  switch (random(5)) {
    case 0:
      return { target, kind: "failed", errors: "[]" };
    case 1:
      return { target, kind: "continued", next: { ...someStart(dice, 0), deduplication: undefined } };
    case 2: {
      const schedule = random(2) === 0 ? { afterMs: random(40) } : undefined;
      return {
        target: fenceOf(someRow(dice)),
        kind: "deferred",
        schedule,
        counted: random(2) === 0,
        errors: undefined,
      };
    }
    default:
      return { target, kind: "completed", output: String(random(100)) };
  }
}

function someTarget(dice: Dice): Outcome["target"] {
  const row = someRow(dice);
  if (row === undefined || dice.random(3) > 0) return fenceOf(row);
  const typeName = dice.random(8) === 0 ? pick(dice.random, typeNames) : lastOf(chainOf(row)).lane.type.name;
  return { chainId: chainOf(row).id, typeName };
}

function fenceOf(row: JobRow | undefined): Fence {
  return { jobId: row?.id ?? "none", workerId: row?.lease?.workerId ?? "w1", fence: row?.fence ?? 1 };
}

/** One of the newest, most of which are open. */
function someRow({ random, store }: Dice): JobRow | undefined {
  const latest = [...store.jobs.values()].slice(-16);
  return latest[random(latest.length)];
}

function someChainId(dice: Dice): string {
  const row = someRow(dice);
  return row === undefined ? "none" : chainOf(row).id;
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
