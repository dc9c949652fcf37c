import type { ChainwrightError } from "../model/error.ts";
import type { ChainEvent } from "../model/event.ts";
import type { LostReason, Outcome } from "../model/outcome.ts";
import type { SettleReply } from "../ports/exchange.ts";
import type { WaitingJob } from "../ports/reply.ts";
import { named } from "../engine/job-events.ts";
import type { Engine } from "../engine/engine.ts";
import { refusalError } from "./refusal-error.ts";
import { settledEvents, type SettledBy, type Settling } from "./settled-events.ts";

/**
 * What the store's reply to an outcome means. This is the one place that reads such replies: `settled`, the outcome is written;
 * `lost`, the job is no longer the caller's; `refused`, the store will never take this outcome; `busy`, other transactions hold
 * its rows, and the same outcome may be sent again.
 */
export type Settlement =
  | { readonly status: "settled"; readonly events: readonly ChainEvent[] }
  | { readonly status: "lost"; readonly reason: LostReason; readonly events: readonly ChainEvent[] }
  | { readonly status: "refused"; readonly error: ChainwrightError }
  | { readonly status: "busy" };

/**
 * For an adapter that returned more or fewer replies than it got outcomes. Replies are matched by position, so none of them can be
 * read then: each outcome may have been written or not.
 */
export function replyCountError(replies: number, outcomes: number): TypeError {
  return new TypeError(
    `the state adapter must return one reply per outcome, in the order of the outcomes; got ${replies} for ${outcomes}.`,
  );
}

const none: readonly ChainEvent[] = [];

/** What waited for the end of an attempt is ready. */
function readyEvents(ready: readonly WaitingJob[]): readonly ChainEvent[] {
  return ready.map(({ jobId, chainId, typeName, claimName }) => ({
    type: "job-unblocked",
    jobId,
    chainId,
    typeName,
    dueInMs: undefined,
    ...named(claimName),
  }));
}

/** The reply to a call that carries one outcome. */
export function onlyReply(replies: readonly SettleReply[]): SettleReply {
  const [reply] = replies;
  if (reply === undefined || replies.length > 1) throw replyCountError(replies.length, 1);
  return reply;
}

export function readSettleReply(outcome: Outcome, reply: SettleReply, settling: Settling): Settlement {
  switch (reply.status) {
    case "settled":
      return { status: "settled", events: settledEvents(outcome, reply, settling) };
    case "refused":
      return { status: "refused", error: refusalError(reply.refusal) };
    case "lost":
      return {
        status: "lost",
        reason: reply.reason,
        events: reply.ready === undefined ? none : readyEvents(reply.ready),
      };
    case "busy":
      return reply;
  }
}

/**
 * For a caller that settles one outcome and waits for the reply: records the events of a settled outcome, and throws the error
 * of a refused one. Returns why the outcome was lost; undefined: it is settled.
 */
export function acceptSettleReply(
  { events, clock }: Pick<Engine, "events" | "clock">,
  outcome: Outcome,
  replies: readonly SettleReply[],
  { by, tx }: { readonly by: SettledBy | undefined; readonly tx: unknown },
): LostReason | undefined {
  const settlement = accepted(readSettleReply(outcome, onlyReply(replies), { now: clock.now(), by }));
  events.record(settlement.events, tx);
  return settlement.status === "lost" ? settlement.reason : undefined;
}

/**
 * The same for several outcomes. Returns why outcomes were lost, by their places. If any was, no events are recorded: the caller rolls
 * back.
 */
export function acceptSettleReplies(
  { events, clock }: Pick<Engine, "events" | "clock">,
  outcomes: readonly Outcome[],
  replies: readonly SettleReply[],
  { by, tx }: { readonly by: (place: number) => Omit<Settling, "now">; readonly tx: unknown },
): ReadonlyMap<number, LostReason> {
  if (replies.length !== outcomes.length) throw replyCountError(replies.length, outcomes.length);
  const lost = new Map<number, LostReason>();
  const effects: ChainEvent[] = [];
  for (const [place, outcome] of outcomes.entries()) {
    const reply = replies[place];
    if (reply === undefined) continue;
    const settlement = accepted(readSettleReply(outcome, reply, { now: clock.now(), ...by(place) }));
    if (settlement.status === "lost") lost.set(place, settlement.reason);
    else for (const event of settlement.events) effects.push(event);
  }
  if (lost.size === 0) events.record(effects, tx);
  return lost;
}

function accepted(settlement: Settlement): Extract<Settlement, { readonly status: "settled" | "lost" }> {
  if (settlement.status === "refused") throw settlement.error;
  if (settlement.status !== "busy") return settlement;
  throw new TypeError("the state adapter reported a busy outcome to a call without waitMs, which has to wait.");
}
