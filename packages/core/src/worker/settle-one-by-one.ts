import { backoffMs } from "../model/backoff.ts";
import type { LockHolder } from "../model/lock-holder.ts";
import type { Engine } from "../engine/engine.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { createPatience } from "../timing/time-limit.ts";
import { refusalError } from "../operations/refusal-error.ts";
import type { Timer } from "../ports/clock.ts";
import type { SettleReply } from "../ports/state.ts";
import { carry, type HandIn, type Lease } from "./hand-in.ts";
import { createHolderInquiry } from "./holder-inquiry.ts";
import { silenceEvents, toldEvents } from "./reply-events.ts";
import { troubleOf } from "./call-failure.ts";

/**
 * Outcomes that wait because other transactions hold their rows.
 *
 * @example
 * const describe = ({ count, longestMs, holders }: HeldUpReport) =>
 *   `${count} outcomes wait, for up to ${longestMs} ms, for ${holders.map(({ processId }) => processId).join(", ")}`;
 * const { heldUp } = worker.health();
 * if (heldUp !== undefined) console.warn(describe(heldUp));
 */
export interface HeldUpReport {
  readonly count: number;
  /** How long the one has waited that waits longest, in milliseconds. */
  readonly longestMs: number;
  /** Whose transactions they wait for, as the store said last; empty where it does not say. */
  readonly holders: readonly LockHolder[];
}

/**
 * Hands in outcomes that the exchanges could not: because others hold their rows, or because the store choked on the batch.
 * Each goes by itself, beside the exchanges, on a connection of its own, until it is settled or somebody else's. Meanwhile its
 * lease is renewed with the others.
 */
export interface HeldUp {
  add(items: readonly HandIn[]): void;
  /** Undefined: none has waited for long. */
  report(): HeldUpReport | undefined;
  /** Resolves when nothing is left. */
  idle(): Promise<void>;
  /** Hands in nothing any more: the leases run out by themselves. */
  abandon(): void;
}

export interface HeldUpOptions {
  readonly engine: Engine;
  readonly workerId: string;
  /** Where the leases are kept for as long as their outcomes wait. */
  readonly leases: Set<Lease>;
  /** Called when one waits no longer. */
  readonly onLeft: () => void;
}

interface Waiting {
  item: HandIn;
  readonly since: number;
  tries: number;
  isFailed: boolean;
  isReported: boolean;
  timer: Timer | undefined;
}

interface Room extends HeldUpOptions {
  readonly waiting: Set<Waiting>;
  readonly queue: Waiting[];
  readonly mostAtOnce: number;
  readonly patience: ReturnType<typeof createPatience>;
  readonly inquiry: ReturnType<typeof createHolderInquiry>;
  underWay: number;
  abandoned: boolean;
  onIdle: (() => void) | undefined;
}

/** Each may wait in the store for a lock, with a connection: so many at most, and fewer where the pool is small. */
const mostAtOnce = 3;
/** How long a try waits in the store: briefly at first, because most are free by then. */
const [firstWaitMs, longestWaitMs] = [lockWaitMs, 5_000];
const retryBackoff = { initialMs: 20, multiplier: 2, maxMs: 1_000, jitter: 0.5 };
/** An outcome that waits longer is reported. */
export const reportAfterMs = 3_000;
const answerLimitMs = 30_000;

export function createHeldUp(options: HeldUpOptions): HeldUp {
  const { engine, leases } = options;
  const { clock, state } = engine;
  const room: Room = {
    ...options,
    waiting: new Set(),
    queue: [],
    mostAtOnce: Math.max(1, Math.min(mostAtOnce, (state.connections ?? Infinity) - 2)),
    patience: createPatience(clock, { limitMs: answerLimitMs, who: "the store" }),
    inquiry: createHolderInquiry(engine),
    underWay: 0,
    abandoned: false,
    onIdle: undefined,
  };
  return {
    add(items) {
      for (const item of items) {
        const one: Waiting = {
          item,
          since: clock.now(),
          tries: 0,
          isFailed: false,
          isReported: false,
          timer: undefined,
        };
        room.waiting.add(one);
        leases.add(item.lease);
        room.queue.push(one);
      }
      next(room);
    },
    report: () => report(room),
    async idle() {
      if (room.waiting.size === 0 || room.abandoned) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      room.onIdle = resolve;
      await promise;
    },
    abandon() {
      room.abandoned = true;
      for (const one of room.waiting) leave(room, one);
    },
  };
}

function report({ waiting, engine, inquiry }: Room): HeldUpReport | undefined {
  const now = engine.clock.now();
  const waits = Array.from(waiting, ({ since }) => now - since);
  const longestMs = Math.max(0, ...waits);
  return longestMs < reportAfterMs ? undefined : { count: waits.length, longestMs, holders: inquiry.last() };
}

function next(room: Room): void {
  while (room.underWay < room.mostAtOnce && !room.abandoned) {
    const one = room.queue.shift();
    if (one === undefined) return;
    room.underWay += 1;
    void deliver(room, one).finally(() => {
      room.underWay -= 1;
      next(room);
    });
  }
}

/** One try. Never rejects. */
async function deliver(room: Room, one: Waiting): Promise<void> {
  const { engine } = room;
  const { item } = one;
  // A call that was given up has settled it after all.
  if (item.fate.isSettled) return leave(room, one);
  try {
    const waitMs = waitOf(room, one);
    if (one.tries > 0) await renew(room, item.lease);
    one.tries += 1;
    announceLater(room, one);
    const call = () => engine.state.settle([item.outcome], engine.callOptions(undefined, waitMs));
    const settle = () =>
      room.patience(
        () => carry([item], call),
        (late) => tellLate(room, one, item, late?.[0]),
      );
    // A long wait takes a connection as the transaction of a handler does.
    const [reply] = await (waitMs > firstWaitMs ? engine.keepOneFree(settle) : settle());
    if (reply === undefined) throw new TypeError("the state adapter returned nothing for an outcome");
    take(room, one, item, reply);
  } catch (error) {
    if (troubleOf(engine.state, error) !== undefined) again(room, one);
    else refuse(room, one, error);
  }
}

function take(room: Room, one: Waiting, item: HandIn, reply: SettleReply): void {
  if (reply.status === "busy") return again(room, one);
  if (reply.status === "refused") return refuse(room, one, refusalError(reply.refusal));
  const events = toldEvents(room.engine, item, reply);
  leave(room, one);
  room.engine.events.record(events, undefined);
}

function tellLate(room: Room, one: Waiting, item: HandIn, reply: SettleReply | undefined): void {
  const isTold = reply?.status === "settled" || reply?.status === "lost";
  room.engine.events.record(isTold ? toldEvents(room.engine, item, reply) : silenceEvents(item), undefined);
  if (item.fate.isSettled) leave(room, one);
}

/** What the store will not take becomes a failed attempt; what it will not take either is left to run out. */
function refuse(room: Room, one: Waiting, error: unknown): void {
  if (one.isFailed || room.abandoned) return leave(room, one);
  one.isFailed = true;
  one.item = one.item.asFailed(error);
  room.queue.push(one);
}

function again(room: Room, one: Waiting): void {
  if (room.abandoned) return;
  const { clock } = room.engine;
  one.timer?.cancel();
  one.timer = clock.setTimer(
    () => {
      room.queue.push(one);
      next(room);
    },
    backoffMs(retryBackoff, one.tries, clock.random()),
  );
}

function leave(room: Room, one: Waiting): void {
  one.timer?.cancel();
  room.leases.delete(one.item.lease);
  if (!room.waiting.delete(one)) return;
  room.onLeft();
  if (room.waiting.size === 0) room.onIdle?.();
}

/** Below a third of the lease, so that it is renewed before it runs out; briefly, where the pool has no connection to spare. */
function waitOf({ engine }: Room, { item, tries }: Waiting): number {
  const longestMs = (engine.state.connections ?? Infinity) < 2 ? firstWaitMs : longestWaitMs;
  return Math.min(firstWaitMs * 4 ** tries, longestMs, item.lease.leaseMs / 3);
}

/** The try that follows may hold the job's row, which a renewal then passes by. */
async function renew({ engine, workerId, patience }: Room, lease: Lease): Promise<void> {
  const calledAt = engine.clock.now();
  const held = [{ jobId: lease.job.id, fence: lease.job.fence, leaseMs: lease.leaseMs }];
  const unrenewed = await patience(() => engine.state.renew({ workerId, held }, engine.callOptions()));
  if (unrenewed.length === 0) lease.leasedUntil = calledAt + lease.leaseMs;
}

/** Reports an outcome that has waited for long, with those who hold its rows, while it waits for them. */
function announceLater(room: Room, one: Waiting): void {
  const { clock, events } = room.engine;
  if (one.isReported || one.tries < 2 || clock.now() - one.since < reportAfterMs) return;
  one.isReported = true;
  void room.inquiry.ask().then((holders) => {
    if (!room.waiting.has(one)) return;
    const { id: jobId, chainId, typeName, attempt } = one.item.attempt.job;
    const waitedMs = clock.now() - one.since;
    const { workerId } = room;
    events.record(
      [{ type: "outcome-held-up", jobId, chainId, typeName, workerId, attempt, waitedMs, holders }],
      undefined,
    );
  });
}
