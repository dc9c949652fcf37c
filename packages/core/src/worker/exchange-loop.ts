import { backoffMs } from "../model/backoff.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Claim, ClaimType, ExchangeReply, SettleReply } from "../ports/state.ts";
import type { Engine } from "../engine/engine.ts";
import { consequenceEvents } from "../engine/job-events.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { createPatience, type Patience } from "../timing/time-limit.ts";
import { refusalError } from "../operations/refusal-error.ts";
import { carry, type HandIn } from "./hand-in.ts";
import type { HeldUp } from "./settle-one-by-one.ts";
import { createStoreTrouble, type StoreTrouble } from "./store-status.ts";
import { silenceEvents, toldEvents } from "./reply-events.ts";
import { troubleOf } from "./call-failure.ts";
import type { Found } from "../hints/look-order.ts";
import { createWakeUp, type WakeUp } from "../timing/wake-up.ts";

/** What the loop needs of the worker around it. */
export interface LoopOptions {
  readonly engine: Engine;
  readonly workerId: string;
  readonly types: readonly ClaimType[];
  readonly pollIntervalMs: number;
  /** How many jobs are wanted now: free slots, and the window ahead of them. */
  readonly room: () => number;
  readonly onClaimed: (jobs: readonly ClaimedJob[], claimedAt: number) => void;
  /** Takes the outcomes that cannot go with the others. */
  readonly heldUp: HeldUp;
  /** Told of jobs that were claimed too late to begin: they go back. */
  readonly onUnwanted: (jobs: readonly ClaimedJob[]) => void;
  /** Called when jobs are asked for; what it answers, when the store has answered. */
  readonly onLook: () => (found: Found) => void;
  /** Whether nothing is running or waiting, so that a stopping worker may end. */
  readonly isIdle: () => boolean;
}

/** The worker's one conversation with the store: it hands in outcomes and takes jobs in the same round trip. */
export interface ExchangeLoop extends LoopOptions {
  readonly wakeUp: WakeUp;
  readonly patience: Patience;
  readonly outcomes: HandIn[];
  stopping: boolean;
  /** The time to stop is over: what is not handed in is left to run out. */
  abandoned: boolean;
  /** The last claim was not filled and nothing has been heard since. */
  dry: boolean;
  /** By the worker's clock. */
  nextDueAt: number;
  /** The next look is one that nothing asked for, although hints arrive. */
  isBackstop: boolean;
  /** A job was found that nobody told of: until then there may be more of them. By the worker's clock. */
  untoldUntil: number;
  /** Hints heard; a hint that comes while an exchange is under way must not be lost. */
  hints: number;
  rotation: number;
  readonly trouble: StoreTrouble;
  lastLookedAt: number | undefined;
}

export function createExchangeLoop(options: LoopOptions): ExchangeLoop {
  return {
    ...options,
    wakeUp: createWakeUp(options.engine.clock),
    patience: createPatience(options.engine.clock, { limitMs: answerLimitMs, who: "the store" }),
    outcomes: [],
    stopping: false,
    abandoned: false,
    dry: false,
    nextDueAt: Infinity,
    isBackstop: false,
    untoldUntil: -Infinity,
    hints: 0,
    rotation: 0,
    trouble: createStoreTrouble(options.engine, options.workerId),
    lastLookedAt: undefined,
  };
}

/** An exchange that takes longer has nobody at the other end. */
const answerLimitMs = 30_000;
/** The longest time between two looks while hints may be missing: as long as without a notify adapter. */
const unheardPollMs = 1_000;
/** A job that was ready for longer when it was found by chance was not told of. */
const toldWithinMs = 250;
/** How long such a job makes a worker look for others of its kind. */
const untoldForMs = 600_000;
const storeBackoff = { initialMs: 100, multiplier: 2, maxMs: 5_000, jitter: 0.5 };

/** Hands in an outcome with the next exchange. */
export function handIn(loop: ExchangeLoop, item: HandIn): void {
  loop.outcomes.push(item);
  loop.wakeUp.wake();
}

/** There may be work: look, even if the last look found nothing. */
export function look(loop: ExchangeLoop): void {
  loop.hints += 1;
  loop.dry = false;
  loop.wakeUp.wake();
}

/** Runs until the worker stops and everything is handed in. Never rejects. */
export async function runExchangeLoop(loop: ExchangeLoop): Promise<void> {
  while (!loop.abandoned && !(loop.stopping && loop.outcomes.length === 0 && loop.isIdle())) {
    const claim = nextClaim(loop);
    if (loop.outcomes.length === 0 && claim === undefined) await rest(loop);
    else await exchangeOnce(loop, claim);
  }
}

/** A claim rides with outcomes for free; by itself it goes out only when there may be something to find. */
function nextClaim(loop: ExchangeLoop): Claim | undefined {
  if (loop.stopping || loop.types.length === 0) return undefined;
  if (loop.dry && loop.outcomes.length === 0) return undefined;
  const limit = loop.room();
  if (limit <= 0) return undefined;
  const { types, rotation } = loop;
  loop.rotation = (rotation + 1) % types.length;
  const turned = rotation === 0 ? types : [...types.slice(rotation), ...types.slice(0, rotation)];
  return { workerId: loop.workerId, types: turned, limit };
}

/** Waits for an outcome, a hint, a freed slot, the next due job or the backstop poll. */
async function rest(loop: ExchangeLoop): Promise<void> {
  const { clock } = loop.engine;
  const untilDueMs = loop.nextDueAt - clock.now();
  const timedOut = await loop.wakeUp.wait(Math.max(0, Math.min(pollMs(loop), untilDueMs)));
  if (!timedOut) return;
  loop.isBackstop = loop.dry && loop.engine.hub.isWell;
  loop.dry = false;
  // It has passed: with all slots taken it must not end the next rest at once.
  loop.nextDueAt = Infinity;
}

/** A process that cannot publish, that has no notify adapter, or that died after its commit tells nobody of its jobs. */
function noteUntold(loop: ExchangeLoop, { claimed }: ExchangeReply, now: number): void {
  if (loop.isBackstop && claimed.some(({ waitedMs }) => waitedMs > toldWithinMs)) loop.untoldUntil = now + untoldForMs;
  loop.isBackstop = false;
}

function pollMs({ pollIntervalMs, untoldUntil, engine: { hub, clock } }: ExchangeLoop): number {
  const isHeard = hub.isWell && clock.now() >= untoldUntil;
  return isHeard ? pollIntervalMs : Math.min(pollIntervalMs, unheardPollMs);
}

async function exchangeOnce(loop: ExchangeLoop, claim: Claim | undefined): Promise<void> {
  const { state, clock, callOptions } = loop.engine;
  const items = loop.outcomes.splice(0).filter(({ fate }) => !fate.isSettled);
  const { hints } = loop;
  const startedAt = clock.now();
  const tellFound = claim === undefined ? undefined : loop.onLook();
  let reply: ExchangeReply;
  try {
    const request = { outcomes: items.map((item) => item.outcome), claim };
    const call = () => carry(items, () => state.exchange(request, callOptions(undefined, lockWaitMs)));
    reply = await loop.patience(call, (late) => takeLate(loop, items, late));
  } catch (error) {
    return await recover(loop, items, error);
  }
  loop.trouble.end();
  const endedAt = clock.now();
  const events = exchangeEvents(loop, items, reply);
  if (loop.engine.observed) {
    const [settled, claimed] = [items.length, reply.claimed.length];
    events.push({ type: "exchanged", workerId: loop.workerId, settled, claimed, durationMs: endedAt - startedAt });
  }
  loop.engine.events.record(events, undefined);
  if (reply.released.releasing) loop.engine.carryOn();
  if (claim !== undefined) {
    loop.dry = reply.claimed.length < claim.limit && hints === loop.hints;
    loop.nextDueAt = reply.nextDueInMs === undefined ? Infinity : endedAt + reply.nextDueInMs;
    loop.lastLookedAt = endedAt;
    noteUntold(loop, reply, endedAt);
  }
  // It began to stop while this was under way: nothing begins any more.
  if (loop.stopping) loop.onUnwanted(reply.claimed);
  else loop.onClaimed(reply.claimed, startedAt);
  if (claim !== undefined) tellFound?.({ typeNames: heardOf(reply), dry: reply.claimed.length < claim.limit });
  // Handlers, input and timers get their turn; what ends meanwhile goes out together.
  await clock.yield();
}

/** The types of claimed jobs of which others were told: not those that the same exchange made ready. */
function heardOf({ settled, released, claimed }: ExchangeReply): readonly string[] {
  const unheard = new Set(released.unblocked.map(({ jobId }) => jobId));
  for (const reply of settled) {
    if (reply.status !== "settled") continue;
    for (const { jobId } of reply.started) unheard.add(jobId);
    for (const { jobId } of reply.unblocked) unheard.add(jobId);
  }
  return claimed.filter(({ id }) => !unheard.has(id)).map(({ typeName }) => typeName);
}

function exchangeEvents(loop: ExchangeLoop, items: readonly HandIn[], reply: ExchangeReply): ChainwrightEvent[] {
  const events: ChainwrightEvent[] = [];
  reply.settled.forEach((settled, index) => {
    for (const event of settleEvents(loop, items[index], settled)) events.push(event);
  });
  for (const event of consequenceEvents(reply.released)) events.push(event);
  // With nobody watching, a claim is news only where the same exchange has made jobs ready.
  if (!loop.engine.observed && !events.some(makesReady)) return events;
  for (const job of reply.claimed) {
    const { id: jobId, chainId, typeName, attempt, waitedMs } = job;
    const claimed = { jobId, chainId, typeName, attempt, waitedMs, workerId: loop.workerId };
    events.push({ type: "job-claimed", ...claimed });
  }
  return events;
}

function makesReady({ type }: ChainwrightEvent): boolean {
  return type === "job-started" || type === "job-unblocked" || type === "job-retried";
}

/** What the store refuses counts as a failed attempt; what others hold goes by itself. */
function settleEvents(loop: ExchangeLoop, item: HandIn | undefined, reply: SettleReply): readonly ChainwrightEvent[] {
  if (item === undefined) return [];
  if (reply.status === "busy") loop.heldUp.add([item]);
  else if (reply.status === "refused") loop.outcomes.push(item.asFailed(refusalError(reply.refusal)));
  else return toldEvents(loop.engine, item, reply);
  return [];
}

/**
 * What an exchange brings that was given up. What it settled is reported now, and not handed in again; what it did not settle
 * has been. What it claimed goes back: the slots may be taken.
 */
function takeLate(loop: ExchangeLoop, items: readonly HandIn[], late: ExchangeReply | undefined): void {
  const { engine } = loop;
  for (const [index, item] of items.entries()) {
    const reply = late?.settled[index];
    const isTold = reply?.status === "settled" || reply?.status === "lost";
    engine.events.record(isTold ? toldEvents(engine, item, reply) : silenceEvents(item), undefined);
  }
  if (late === undefined) return;
  engine.events.record(consequenceEvents(late.released), undefined);
  if (late.released.releasing) engine.carryOn();
  loop.onUnwanted(late.claimed);
}

/**
 * Keeps what was to be handed in. Where the store can be reached, and has not taken the batch because of one outcome or for a
 * lock that one of them waits for, each goes by itself.
 */
async function recover(loop: ExchangeLoop, items: readonly HandIn[], error: unknown): Promise<void> {
  const { engine, trouble } = loop;
  const kind = troubleOf(engine.state, error);
  if (items.length > 0 && (kind === undefined || kind === "locked")) return loop.heldUp.add(items);
  loop.outcomes.unshift(...items);
  trouble.begin(kind ?? "away", error);
  loop.dry = false;
  await loop.wakeUp.pause(backoffMs(storeBackoff, trouble.failures(), engine.clock.random()));
}
