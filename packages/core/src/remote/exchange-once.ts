import { ChainwrightError } from "../model/error.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Claim, ExchangeReply } from "../ports/exchange.ts";
import { consequenceEvents } from "../engine/job-events.ts";
import { replyCountError } from "../operations/settle.ts";
import { storeTroubleOf } from "../operations/store-trouble.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { foundBy, recordExchange } from "../worker/exchange-events.ts";
import { noteClaim } from "../worker/next-look.ts";
import { carry } from "../worker/sent-outcome.ts";
import { lateReplyEvents } from "../worker/take-reply.ts";
import { wake, type ClaimLoop } from "./claim-loop.ts";
import { leaseOf, receive } from "./incoming.ts";
import { givingBack, outgoing, type Outgoing } from "./outgoing.ts";
import { settleAlone, takeResult } from "./results.ts";
import type { RemoteLease } from "./types.ts";

/** The most outcomes in one round trip, about how many characters, and the most jobs. */
const [mostOutcomes, mostCharacters, mostClaimed] = [500, 4_000_000, 1_000];

/** One round trip: hands in what is in the outbox, claims jobs, and deals them out. */
export async function exchangeOnce(loop: ClaimLoop): Promise<void> {
  const { engine, nextLook, lookOrder, asks } = loop;
  const { state, clock, callOptions } = engine;
  const items = takeOutcomes(loop.outbox);
  const claim = nextClaim(loop);
  const asked = asks.brief();
  const hintsBefore = nextLook.hints;
  const startedAt = clock.now();
  const reportFound = claim === undefined ? undefined : lookOrder.begin();
  let reply: ExchangeReply;
  try {
    const request = { outcomes: items.map(({ outcome }) => outcome), claim };
    const call = () => carry(items, () => state.exchange(request, callOptions(undefined, lockWaitMs)));
    reply = await loop.timeLimit(call, (late) => takeLate(loop, items, late));
    if (reply.settled.length !== items.length) throw replyCountError(reply.settled.length, items.length);
  } catch (error) {
    nextLook.isDry = false;
    return recover(loop, items, error);
  }
  const exchanged = {
    workerId: loop.workerId,
    reply,
    settled: items.length,
    durationMs: clock.now() - startedAt,
  };
  recordExchange(engine, settle(loop, items, reply), exchanged, (typeName) => loop.policies.of(typeName).retry);
  if (claim !== undefined) {
    const isFilled = reply.claimed.length >= claim.limit;
    const wasDue = nextLook.isForDueJob;
    const spreadMs = reply.nextDueInMs === undefined ? 0 : lookOrder.dueSpreadMs();
    noteClaim(nextLook, reply, { isFilled, hintsBefore, spreadMs });
    loop.limitedJobs.noteClaimed(reply.claimed);
    await deal(loop, reply.claimed, startedAt);
    reportFound?.(foundBy(reply, { dry: !isFilled, wasDue }));
    for (const ask of asked) ask.end();
  }
  loop.limitedJobs.tell(claim && { claim, claimed: reply.claimed });
  // Requests get their turn; what appears meanwhile goes out together.
  await clock.yield();
}

/** Outcomes for one round trip, none of which are of one job. */
function takeOutcomes(outbox: Outgoing[]): readonly Outgoing[] {
  const taken: Outgoing[] = [];
  const left: Outgoing[] = [];
  const jobs = new Set<string>();
  let characters = 0;
  for (const item of outbox.splice(0)) {
    const { id } = item.attempt.job;
    const isLeft = taken.length >= mostOutcomes || characters >= mostCharacters || jobs.has(id);
    (isLeft ? left : taken).push(item);
    if (isLeft) continue;
    jobs.add(id);
    characters += weightOf(item);
  }
  outbox.push(...left);
  return taken;
}

function weightOf({ outcome }: Outgoing): number {
  if (outcome.kind === "completed") return outcome.output.length;
  return outcome.kind === "continued" ? outcome.next.input.length : 0;
}

function nextClaim(loop: ClaimLoop): Claim | undefined {
  const { asks, claimed, workerId, rotation, limitedJobs, stopping } = loop;
  if (asks.wanted === 0 || stopping || claimed.length === 0) return undefined;
  loop.rotation = (rotation + 1) % claimed.length;
  const types = rotation === 0 ? claimed : [...claimed.slice(rotation), ...claimed.slice(0, rotation)];
  const limited = limitedJobs.isLooking ? true : undefined;
  return { workerId, types, limit: Math.min(asks.wanted, mostClaimed), limited };
}

/** Reads the replies to the outcomes, and tells each caller. */
function settle(loop: ClaimLoop, items: readonly Outgoing[], reply: ExchangeReply): ChainwrightEvent[] {
  const events: ChainwrightEvent[] = [];
  for (const [place, settled] of reply.settled.entries()) {
    const item = items[place];
    if (item === undefined) continue;
    const taken = takeResult(loop, item, settled);
    if (taken === "busy") void settleAlone(loop, item);
    else for (const event of taken) events.push(event);
  }
  return events;
}

/** Deals claimed jobs out. Those that no one asks for any more go back, and so do those that cannot be run. */
async function deal(loop: ClaimLoop, claimed: readonly ClaimedJob[], claimedAt: number): Promise<void> {
  if (claimed.length === 0) return;
  const { engine, policies, workerId, outbox } = loop;
  const { jobs, outcomes } = await receive(engine, policies, { claimed, workerId, claimedAt, types: loop.claimed });
  outbox.push(...outcomes);
  for (const { lease, leaseMs } of jobs) loop.dealt.add(lease, leaseMs);
  for (const { lease } of loop.asks.deal(jobs)) handBack(loop, lease);
}

function handBack(loop: ClaimLoop, lease: RemoteLease): void {
  loop.outbox.push(outgoing(lease, givingBack(lease), { onResult: () => undefined, onError: () => undefined }));
  wake(loop);
}

/** An exchange that was given up has come to its end; undefined: it failed. What it claimed goes back. */
function takeLate(loop: ClaimLoop, items: readonly Outgoing[], late: ExchangeReply | undefined): void {
  const { engine, workerId } = loop;
  const reader = { clock: engine.clock, onEnded: loop.limitedJobs.noteEnded };
  const hasReplies = late?.settled.length === items.length;
  for (const [place, item] of items.entries())
    engine.events.record(lateReplyEvents(reader, item, hasReplies ? late.settled[place] : undefined), undefined);
  if (late === undefined) return;
  engine.events.record(consequenceEvents(late.released), undefined);
  if (late.released.releasing) engine.releaseInBackground();
  for (const job of late.claimed) handBack(loop, leaseOf(job, workerId, engine.clock.now()));
}

/**
 * If the store is well, and failed the batch because of one outcome or because of a lock that one of them waits for, each outcome goes by
 * itself. Otherwise the callers are told.
 */
function recover(loop: ClaimLoop, items: readonly Outgoing[], error: unknown): void {
  const { engine, asks } = loop;
  const trouble = storeTroubleOf(engine.state, error);
  const isOfBatch = trouble === undefined || trouble === "locked";
  if (items.length > 0 && isOfBatch) {
    for (const item of items) void settleAlone(loop, item);
    return;
  }
  const told = trouble === undefined ? error : unknownOutcome(error, items.length > 0);
  for (const item of items) item.onError(told);
  asks.end(told);
}

/** What was handed in may have been written or not. */
function unknownOutcome(error: unknown, hasOutcomes: boolean): unknown {
  if (!hasOutcomes || !(error instanceof ChainwrightError)) return error;
  return new ChainwrightError(error.code, error.message, {
    cause: error,
    details: { ...error.details, outcome: "unknown" },
  });
}
