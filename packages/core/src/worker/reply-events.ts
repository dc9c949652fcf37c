import type { ChainwrightEvent } from "../model/event.ts";
import type { LostReason } from "../model/outcome.ts";
import type { Engine } from "../engine/engine.ts";
import { settledEvents } from "../operations/settle.ts";
import type { SettleReply } from "../ports/state.ts";
import type { HandIn } from "./hand-in.ts";

/** What a reply says of an attempt that has ended. */
type Told = Extract<SettleReply, { readonly status: "settled" | "lost" }>;

/**
 * The events of an outcome that the store has settled, or lost to somebody else: each once, however many calls carried it.
 * While another call is under way that carries it, a loss is not reported: the job may have been ended by that call.
 */
export function toldEvents(engine: Engine, item: HandIn, reply: Told): readonly ChainwrightEvent[] {
  const { fate, attempt } = item;
  if (fate.isSettled) return [];
  if (reply.status === "settled") {
    fate.isSettled = true;
    const by = { workerId: attempt.fence.workerId, attempt: attempt.job.attempt };
    return settledEvents(item.outcome, reply, { now: engine.clock.now(), by });
  }
  fate.lost ??= reply.reason;
  return fate.calls > 0 ? [] : lostEvents(item);
}

/** The events of an outcome of which a call has ended without a word: it was the last that could have settled it. */
export function silenceEvents(item: HandIn): readonly ChainwrightEvent[] {
  const { isSettled, calls, lost } = item.fate;
  return isSettled || calls > 0 || lost === undefined ? [] : lostEvents(item, lost);
}

function lostEvents(
  { attempt: { job, fence }, fate }: HandIn,
  reason: LostReason | undefined = fate.lost,
): readonly ChainwrightEvent[] {
  if (reason === undefined) return [];
  const { id: jobId, chainId, typeName, attempt } = job;
  return [{ type: "lease-lost", jobId, chainId, typeName, workerId: fence.workerId, attempt, reason }];
}
