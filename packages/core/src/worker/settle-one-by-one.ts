import { backoffMs } from "../model/backoff.ts";
import type { Timer } from "../ports/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import { storeTroubleOf } from "../operations/store-trouble.ts";
import { asFailed, type HandIn, type Lease } from "./hand-in.ts";
import { createHeldUpReporter, type HeldUpOutcome, type HeldUpReport, type HeldUpReporter } from "./held-up-report.ts";
import { onlyReply } from "../operations/settle.ts";
import { carry } from "./sent-outcome.ts";
import type { Outbox } from "./outbox.ts";
import { lateReplyEvents, takeReply, type ReplyReader } from "./take-reply.ts";

/**
 * Hands in outcomes that an exchange could not: other transactions hold their rows, or the store failed the batch because of one
 * of them. Each outcome goes by itself, beside the exchanges, on a connection of its own, until it is settled or its job is no
 * longer this worker's. Meanwhile its lease is renewed with the others.
 */
export interface OneByOne {
  add(items: readonly HandIn[]): void;
  /** Undefined: no outcome has waited for long. */
  report(): HeldUpReport | undefined;
  /** Resolves when no outcome is left. */
  idle(): Promise<void>;
  /** Hands in nothing more: the leases run out by themselves. */
  abandon(): void;
}

export interface OneByOneOptions {
  readonly engine: Engine;
  readonly workerId: string;
  /** Holds the leases of the outcomes that wait here, so that they are renewed. */
  readonly leases: Set<Lease>;
  readonly onEnded: ReplyReader["onEnded"];
  /** Its loop is woken when an outcome is done: the worker may claim more jobs. */
  readonly outbox: Outbox;
}

interface Waiting extends HeldUpOutcome {
  tries: number;
  /** It is handed in as a failed attempt, because the store refused its outcome. */
  isFailed: boolean;
  timer: Timer | undefined;
}

interface State extends OneByOneOptions {
  readonly waiting: Set<Waiting>;
  /** Those of them whose next try is due. */
  readonly queue: Waiting[];
  readonly mostAtOnce: number;
  readonly timeLimit: TimeLimit;
  readonly reporter: HeldUpReporter;
  underWay: number;
  abandoned: boolean;
  onIdle: (() => void) | undefined;
}

/** Each try may wait in the store for a lock, and needs a connection: the most at once, and fewer where the pool is small. */
const mostAtOnce = 3;
/** How long a try waits in the store: briefly at first, because most rows are free by then. */
const [firstWaitMs, longestWaitMs] = [lockWaitMs, 5_000];
const retryBackoff = { initialMs: 20, multiplier: 2, maxMs: 1_000, jitter: 0.5 };
const callLimitMs = 30_000;

export function createOneByOne(options: OneByOneOptions): OneByOne {
  const { engine, workerId } = options;
  const { clock, state: store } = engine;
  const state: State = {
    ...options,
    waiting: new Set(),
    queue: [],
    mostAtOnce: Math.max(1, Math.min(mostAtOnce, (store.connections ?? Infinity) - 2)),
    timeLimit: createTimeLimit(clock, { limitMs: callLimitMs, who: "the store" }),
    reporter: createHeldUpReporter(engine, workerId),
    underWay: 0,
    abandoned: false,
    onIdle: undefined,
  };
  return {
    add(items) {
      for (const item of items) add(state, item);
      startTries(state);
    },
    report: () => state.reporter.report(state.waiting),
    async idle() {
      if (state.waiting.size === 0 || state.abandoned) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      state.onIdle = resolve;
      await promise;
    },
    abandon() {
      state.abandoned = true;
      for (const one of state.waiting) remove(state, one);
    },
  };
}

function add(state: State, item: HandIn): void {
  const since = state.engine.clock.now();
  const one: Waiting = { item, since, tries: 0, isFailed: false, isReported: false, timer: undefined };
  state.waiting.add(one);
  state.leases.add(item.lease);
  state.queue.push(one);
}

function startTries(state: State): void {
  while (state.underWay < state.mostAtOnce && !state.abandoned) {
    const one = state.queue.shift();
    if (one === undefined) return;
    state.underWay += 1;
    void trySettle(state, one).finally(() => {
      state.underWay -= 1;
      startTries(state);
    });
  }
}

/** One try. Never rejects. */
async function trySettle(state: State, one: Waiting): Promise<void> {
  const { engine, reporter, timeLimit, onEnded } = state;
  const { item } = one;
  const reader = { clock: engine.clock, onEnded };
  // A call that was given up has settled it after all.
  if (item.fate.isSettled) return remove(state, one);
  try {
    const waitMs = waitOf(state, one);
    if (one.tries > 0) await renew(state, item.lease);
    one.tries += 1;
    if (one.tries > 1) reporter.announce(one, () => state.waiting.has(one));
    const call = () => carry([item], () => engine.state.settle([item.outcome], engine.callOptions(undefined, waitMs)));
    const settle = () =>
      timeLimit(call, (late) => {
        const reply = late?.length === 1 ? late[0] : undefined;
        engine.events.record(lateReplyEvents(reader, item, reply), undefined);
        if (item.fate.isSettled) remove(state, one);
      });
    // A long wait takes a connection as the transaction of a handler does.
    const replies = await (waitMs > firstWaitMs ? engine.keepOneFree(settle) : settle());
    const taken = takeReply(reader, item, onlyReply(replies));
    if (taken.status === "busy") return tryLater(state, one);
    if (taken.status === "refused") return refuse(state, one, taken.error);
    remove(state, one);
    engine.events.record(taken.events, undefined);
  } catch (error) {
    if (storeTroubleOf(engine.state, error) !== undefined) tryLater(state, one);
    else refuse(state, one, error);
  }
}

/** A refused outcome becomes a failed attempt. If that is refused too, its lease runs out by itself. */
function refuse(state: State, one: Waiting, error: unknown): void {
  if (one.isFailed || state.abandoned) return remove(state, one);
  one.isFailed = true;
  one.item = asFailed(state.engine.clock, one.item, error);
  state.queue.push(one);
}

function tryLater(state: State, one: Waiting): void {
  if (state.abandoned) return;
  const { clock } = state.engine;
  one.timer?.cancel();
  one.timer = clock.setTimer(
    () => {
      state.queue.push(one);
      startTries(state);
    },
    backoffMs(retryBackoff, one.tries, clock.random()),
  );
}

function remove(state: State, one: Waiting): void {
  one.timer?.cancel();
  state.leases.delete(one.item.lease);
  if (!state.waiting.delete(one)) return;
  state.outbox.wakeUp.wake();
  if (state.waiting.size === 0) state.onIdle?.();
}

/** Less than a third of the lease, so that it is renewed in time; briefly where the pool has no connection to spare. */
function waitOf({ engine }: State, { item, tries }: Waiting): number {
  const longestMs = (engine.state.connections ?? Infinity) < 2 ? firstWaitMs : longestWaitMs;
  return Math.min(firstWaitMs * 4 ** tries, longestMs, item.lease.leaseMs / 3);
}

/** The try that follows may lock the job's row, and a renewal skips locked rows. */
async function renew({ engine, workerId, timeLimit }: State, lease: Lease): Promise<void> {
  const calledAt = engine.clock.now();
  const held = [{ jobId: lease.job.id, fence: lease.job.fence, leaseMs: lease.leaseMs }];
  const unrenewed = await timeLimit(() => engine.state.renew({ workerId, held }, engine.callOptions()));
  if (unrenewed.length === 0) lease.leasedUntil = calledAt + lease.leaseMs;
}
