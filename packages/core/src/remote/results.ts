import { ChainwrightError } from "../model/error.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { SettleReply } from "../ports/exchange.ts";
import { onlyReply } from "../operations/settle.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { carry } from "../worker/sent-outcome.ts";
import { takeReply } from "../worker/take-reply.ts";
import type { ClaimLoop } from "./claim-loop.ts";
import type { Outgoing } from "./outgoing.ts";

/** Reads the store's reply to an outcome, tells the caller, and returns the events; `busy`: send it again by itself. */
export function takeResult(loop: ClaimLoop, item: Outgoing, reply: SettleReply): readonly ChainwrightEvent[] | "busy" {
  const reader = { clock: loop.engine.clock, onEnded: loop.limitedJobs.noteEnded };
  const taken = takeReply(reader, item, reply);
  if (taken.status === "busy") return "busy";
  const { fate, mistake, onResult } = item;
  if (taken.status !== "refused") loop.dealt.remove(item.attempt.job);
  if (taken.status === "refused") {
    onResult({ status: "refused", error: taken.error });
    return [];
  }
  if (fate.isSettled) onResult(mistake === undefined ? { status: "settled" } : { status: "settled", error: mistake });
  else onResult({ status: "lost", reason: fate.lost ?? "lease-lost" });
  return taken.events;
}

/** How long an outcome waits in the store for a row that another transaction has locked, and how often it is tried. */
const [waitMs, mostTries] = [1_000, 5];

/** Hands in one outcome that could not go with the others. Never rejects. */
export async function settleAlone(loop: ClaimLoop, item: Outgoing): Promise<void> {
  const { state, clock, callOptions, events, keepOneFree } = loop.engine;
  const call = () => carry([item], () => state.settle([item.outcome], callOptions(undefined, waitMs)));
  try {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const replies = await retryConflicts(state, clock, () => keepOneFree(() => loop.timeLimit(call)));
      const result = takeResult(loop, item, onlyReply(replies));
      if (result === "busy") continue;
      events.record(result, undefined);
      loop.limitedJobs.tell(undefined);
      return;
    }
    const message = "another transaction has locked the job for too long; send the outcome again.";
    item.onResult({ status: "refused", error: new ChainwrightError("transaction-conflict", message) });
  } catch (error) {
    item.onError(error);
  }
}
