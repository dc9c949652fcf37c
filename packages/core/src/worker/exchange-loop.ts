import { backoffMs } from "../model/backoff.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Claim, ExchangeReply } from "../ports/exchange.ts";
import { consequenceEvents } from "../engine/job-events.ts";
import type { Engine } from "../engine/engine.ts";
import type { LookOrder } from "../hints/look-order.ts";
import { replyCountError } from "../operations/settle.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import { storeTroubleOf } from "../operations/store-trouble.ts";
import { createBatchClaims, type BatchClaims } from "./batch-claims.ts";
import { handBack } from "./hand-back.ts";
import { foundBy, recordExchange } from "./exchange-events.ts";
import { asFailed, type HandIn } from "./hand-in.ts";
import { freeSlots, holdsNothing, wantedJobs, type Slots } from "./held.ts";
import { declareLimits } from "./declare-limits.ts";
import type { LimitedJobs } from "./limited-jobs.ts";
import type { LoopLag } from "./loop-lag.ts";
import { lookNow, noteClaim, untilNextLook, type NextLook } from "./next-look.ts";
import { takeOutcomes, type Outbox } from "./outbox.ts";
import type { PausedTypes } from "./paused-types.ts";
import type { OneByOne } from "./settle-one-by-one.ts";
import type { RetryPolicy } from "./attempt-options.ts";
import { carry } from "./sent-outcome.ts";
import { admit, beginAlone, type Brought } from "./slots.ts";
import { createStoreStatus, type StoreStatus } from "./store-status.ts";
import { lateReplyEvents, takeReply, type ReplyReader } from "./take-reply.ts";

interface LoopOptions {
  readonly engine: Engine;
  readonly workerId: string;
  /** What it claims: its types without those that are paused. */
  readonly pausedTypes: PausedTypes;
  /** Where the outcomes of ended attempts come from. */
  readonly outbox: Outbox;
  /** Where claimed jobs go. */
  readonly slots: Slots;
  readonly nextLook: NextLook;
  readonly lookOrder: LookOrder;
  /** Takes the outcomes that cannot go with the others. */
  readonly oneByOne: OneByOne;
  readonly limitedJobs: LimitedJobs;
  /** As given to the worker: it comes with the limits that it declares. */
  readonly codeVersion: number | undefined;
  readonly lag: Pick<LoopLag, "check" | "start">;
}

/**
 * The worker's one conversation with the store, and its pipe: claimed jobs go into the slots, their outcomes come back through
 * the outbox, and the same round trip hands them in and claims the next jobs.
 */
export interface ExchangeLoop extends LoopOptions {
  readonly batchClaims: BatchClaims;
  readonly timeLimit: TimeLimit;
  readonly storeStatus: StoreStatus;
  stopping: boolean;
  /** No claims until `resume`. */
  paused: boolean;
  /** The time to stop is over: the leases of what is not handed in run out by themselves. */
  abandoned: boolean;
  /** Which type is first in the next claim: types take turns. */
  rotation: number;
  /** Whether the store knows what the limits of the client allow. */
  isDeclared: boolean;
}

/** After this time an exchange counts as failed. */
const exchangeLimitMs = 30_000;
const storeBackoff = { initialMs: 100, multiplier: 2, maxMs: 5_000, jitter: 0.5 };

export function createExchangeLoop(options: LoopOptions): ExchangeLoop {
  return {
    ...options,
    batchClaims: createBatchClaims(options.slots),
    timeLimit: createTimeLimit(options.engine.clock, { limitMs: exchangeLimitMs, who: "the store" }),
    storeStatus: createStoreStatus(options.engine, options.workerId),
    stopping: false,
    paused: false,
    abandoned: false,
    rotation: 0,
    isDeclared: options.engine.types.limits.all.length === 0,
  };
}

/** Runs until the worker stops and everything is handed in. Never rejects. */
export async function runExchangeLoop(loop: ExchangeLoop): Promise<void> {
  const { outbox, slots, nextLook } = loop;
  while (!loop.abandoned && !(loop.stopping && outbox.items.length === 0 && holdsNothing(slots))) {
    if (takesJobs(loop)) beginAlone(slots);
    const claim = nextClaim(loop);
    if (outbox.items.length === 0 && claim === undefined) await untilNextLook(nextLook);
    else await exchangeOnce(loop, claim);
  }
}

/** Whether claimed jobs may begin. */
export function takesJobs({ stopping, paused }: Pick<ExchangeLoop, "stopping" | "paused">): boolean {
  return !stopping && !paused;
}

/** Whether it claims more jobs. */
export function hasRoom({ slots, batchClaims }: Pick<ExchangeLoop, "slots" | "batchClaims">): boolean {
  return wantedJobs(slots) > 0 || batchClaims.hasRoom();
}

/**
 * An attempt has ended outside an exchange. The worker claims at once if it can, because a job that waits for the place may begin.
 * Otherwise it tells the others.
 */
export function takePlaceAgain(loop: ExchangeLoop, job: Pick<ClaimedJob, "limits">, isPutBack: boolean): void {
  const { limitedJobs, pausedTypes, nextLook } = loop;
  if (!limitedJobs.noteEnded(job, isPutBack)) return;
  if (takesJobs(loop) && pausedTypes.claimed.length > 0 && hasRoom(loop)) lookNow(nextLook);
  else limitedJobs.tell(undefined);
}

/** A claim goes with outcomes at no extra cost; by itself it goes out only when there may be something to find. */
function nextClaim(loop: ExchangeLoop): Claim | undefined {
  const { rotation, workerId, outbox, slots, nextLook, batchClaims } = loop;
  const types = loop.pausedTypes.claimed;
  if (!takesJobs(loop) || types.length === 0) return undefined;
  if (nextLook.isDry && outbox.items.length === 0 && !batchClaims.isHungry()) return undefined;
  const limit = Math.max(0, wantedJobs(slots));
  if (limit === 0 && !batchClaims.hasRoom()) return undefined;
  loop.rotation = (rotation + 1) % types.length;
  const turned = rotation === 0 ? types : [...types.slice(rotation), ...types.slice(0, rotation)];
  const claimed = batchClaims.typesOf(turned, limit);
  if (claimed.length === 0) return undefined;
  return { workerId, types: claimed, limit, ...limitedPart(loop, limit) };
}

/** What a claim says about jobs under limits: nothing if the worker does not look for them, so that the store need not either. */
function limitedPart({ limitedJobs, slots }: ExchangeLoop, limit: number): Pick<Claim, "startable" | "limited"> {
  if (!limitedJobs.isLooking) return {};
  const startable = freeSlots(slots);
  return { startable: startable < limit ? startable : undefined, limited: true };
}

/** One round trip: hands in what the outbox holds, claims jobs, and fills the slots with them. */
async function exchangeOnce(loop: ExchangeLoop, claim: Claim | undefined): Promise<void> {
  const { engine, nextLook, lookOrder, outbox } = loop;
  const { state, clock, callOptions } = engine;
  loop.lag.check();
  const items = takeOutcomes(outbox);
  const hintsBefore = nextLook.hints;
  const startedAt = clock.now();
  const reportFound = claim === undefined ? undefined : lookOrder.begin();
  let reply: ExchangeReply;
  try {
    if (claim !== undefined && !loop.isDeclared) {
      await loop.timeLimit(() => declareLimits(engine, loop.codeVersion));
      loop.isDeclared = true;
    }
    const request = { outcomes: items.map((item) => item.outcome), claim };
    const call = () => carry(items, () => state.exchange(request, callOptions(undefined, lockWaitMs)));
    reply = await loop.timeLimit(call, (late) => takeLate(loop, items, late));
  } catch (error) {
    return await recover(loop, items, error);
  }
  const durationMs = clock.now() - startedAt;
  const exchanged = { workerId: loop.workerId, reply, settled: items.length, durationMs };
  recordExchange(engine, settle(loop, items, reply), exchanged, (typeName) => retryOf(loop, typeName));
  const wasDue = nextLook.isForDueJob;
  const isFilled = claim !== undefined && loop.batchClaims.note(claim, reply.claimed);
  if (claim !== undefined) {
    const spreadMs = reply.nextDueInMs === undefined ? 0 : lookOrder.dueSpreadMs();
    noteClaim(nextLook, reply, { isFilled, hintsBefore, spreadMs });
  }
  loop.limitedJobs.noteClaimed(reply.claimed);
  loop.limitedJobs.tell(claim && { claim, claimed: reply.claimed });
  take(loop, reply.claimed, { claimedAt: startedAt, isFilled });
  if (claim !== undefined) reportFound?.(foundBy(reply, { dry: !isFilled, wasDue }));
  // Handlers, input and timers get their turn; the outcomes that appear meanwhile go out together.
  await clock.yield();
}

function retryOf({ slots }: ExchangeLoop, typeName: string): RetryPolicy | undefined {
  return slots.processors.get(typeName)?.retry;
}

/** Gives back what may no longer begin: the worker was stopped or paused, or a type was, while the exchange was under way. */
function take(loop: ExchangeLoop, claimed: readonly ClaimedJob[], brought: Brought): void {
  const { slots, pausedTypes } = loop;
  if (!takesJobs(loop)) return handBack(slots, claimed);
  if (claimed.length > 0) loop.lag.start();
  const paused = claimed.filter(({ typeName }) => pausedTypes.has(typeName));
  handBack(slots, paused);
  admit(slots, paused.length === 0 ? claimed : claimed.filter((job) => !paused.includes(job)), brought);
}

/** Reads the replies to the outcomes. Refused ones become failed attempts; busy and uncertain ones are settled one by one. */
function settle(loop: ExchangeLoop, items: readonly HandIn[], reply: ExchangeReply): ChainwrightEvent[] {
  const { engine, oneByOne, outbox, storeStatus } = loop;
  if (!hasReplies(reply, items)) {
    storeStatus.begin("away", replyCountError(reply.settled.length, items.length));
    oneByOne.add(items);
    return [];
  }
  storeStatus.end();
  const events: ChainwrightEvent[] = [];
  // The same exchange may have taken the places again.
  const reader = { clock: engine.clock, onEnded: loop.limitedJobs.noteEnded };
  reply.settled.forEach((settled, index) => {
    const item = items[index];
    if (item === undefined) return;
    const taken = takeReply(reader, item, settled);
    if (taken.status === "busy") oneByOne.add([item]);
    else if (taken.status === "refused") outbox.items.push(asFailed(engine.clock, item, taken.error));
    else for (const event of taken.events) events.push(event);
  });
  return events;
}

/** Whether the reply has one reply per outcome. */
function hasReplies({ settled }: ExchangeReply, items: readonly HandIn[]): boolean {
  return settled.length === items.length;
}

/**
 * What an exchange brings that was given up; undefined: it failed. What it settled is reported now, and not handed in again;
 * what it did not settle has been handed in again. What it claimed goes back, because the slots may be taken.
 */
function takeLate(loop: ExchangeLoop, items: readonly HandIn[], late: ExchangeReply | undefined): void {
  const { engine, slots } = loop;
  const reader: ReplyReader = {
    clock: engine.clock,
    onEnded: (job, isPutBack) => takePlaceAgain(loop, job, isPutBack),
  };
  const settled = late !== undefined && hasReplies(late, items) ? late.settled : [];
  for (const [index, item] of items.entries())
    engine.events.record(lateReplyEvents(reader, item, settled[index]), undefined);
  if (late === undefined) return;
  engine.events.record(consequenceEvents(late.released), undefined);
  if (late.released.releasing) engine.releaseInBackground();
  handBack(slots, late.claimed);
}

/**
 * Keeps what was to be handed in. If the store is well, and failed the batch because of one outcome or because of a lock that one
 * of them waits for, each outcome goes by itself.
 */
async function recover(loop: ExchangeLoop, items: readonly HandIn[], error: unknown): Promise<void> {
  const { engine, storeStatus, outbox, oneByOne, nextLook } = loop;
  const trouble = storeTroubleOf(engine.state, error);
  // The claim failed with the outcomes: jobs that hints announced before or meanwhile are still there.
  nextLook.isDry = false;
  if (items.length > 0 && (trouble === undefined || trouble === "locked")) return oneByOne.add(items);
  outbox.items.unshift(...items);
  storeStatus.begin(trouble ?? "away", error);
  await outbox.wakeUp.pause(backoffMs(storeBackoff, storeStatus.failures(), engine.clock.random()));
}
