import type { ChainwrightError } from "../model/error.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { LostReason } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { SettleReply } from "../ports/exchange.ts";
import { readSettleReply } from "../operations/settle.ts";
import { otherClaimName } from "./claim-types.ts";
import type { LeasedJob, SentOutcome } from "./sent-outcome.ts";

/** What is left to do with an outcome after the store's reply. */
export type Taken =
  /** Nothing: it is settled, or its job is no longer this attempt's. */
  | { readonly status: "done"; readonly events: readonly ChainwrightEvent[] }
  /** Send it again by itself. */
  | { readonly status: "busy" }
  /** Hand in a failed attempt in its place. */
  | { readonly status: "refused"; readonly error: ChainwrightError };

/** What a reply is read with. */
export interface ReplyReader {
  readonly clock: Clock;
  /** Called once for each attempt at a job under limits that has ended. @param isPutBack the job waits again */
  readonly onEnded: (job: LeasedJob, isPutBack: boolean) => void;
}

const nothingToDo: Taken = { status: "done", events: [] };

/**
 * Reads the reply to an outcome that a worker handed in. Each end of an attempt is reported once, however many calls carried its
 * outcome. While another call is under way that carries it, a loss is not reported: that call may have settled the job.
 */
export function takeReply(reader: ReplyReader, item: SentOutcome, reply: SettleReply): Taken {
  const { clock } = reader;
  const { fate, attempt, outcome } = item;
  if (fate.isSettled) return nothingToDo;
  const by = { workerId: attempt.fence.workerId, attempt: attempt.job.attempt };
  const waitsAs = outcome.kind === "deferred" ? otherClaimName(attempt.job) : undefined;
  const settlement = readSettleReply(outcome, reply, { now: clock.now(), by, claimName: waitsAs });
  switch (settlement.status) {
    case "settled":
      fate.isSettled = true;
      noteEnded(reader, item);
      return { status: "done", events: settlement.events };
    case "lost":
      fate.lost ??= settlement.reason;
      // A job whose lease was lost runs again, or will, with the places that it has.
      if (fate.lost !== "lease-lost") noteEnded(reader, item);
      if (fate.calls > 0 || fate.isReported) return { status: "done", events: settlement.events };
      return { status: "done", events: [...lostEvents(item, fate.lost), ...settlement.events] };
    default:
      return settlement;
  }
}

/**
 * The events of a reply that came after its caller had given up on the call; undefined: the call failed. What the late call did
 * not settle has been handed in again.
 */
export function lateReplyEvents(
  reader: ReplyReader,
  item: SentOutcome,
  reply: SettleReply | undefined,
): readonly ChainwrightEvent[] {
  if (reply?.status === "settled" || reply?.status === "lost") {
    const taken = takeReply(reader, item, reply);
    return taken.status === "done" ? taken.events : [];
  }
  // This was the last call that could have settled the job: a loss that another call reported is certain now.
  const { isSettled, calls, lost } = item.fate;
  return isSettled || calls > 0 || lost === undefined ? [] : lostEvents(item, lost);
}

function noteEnded({ onEnded }: ReplyReader, { fate, attempt: { job }, outcome }: SentOutcome): void {
  if (job.limits === undefined || fate.isEnded) return;
  fate.isEnded = true;
  onEnded(job, fate.isSettled && outcome.kind === "deferred");
}

function lostEvents({ attempt: { job, fence } }: SentOutcome, reason: LostReason): readonly ChainwrightEvent[] {
  const { id: jobId, chainId, typeName, attempt } = job;
  return [{ type: "lease-lost", jobId, chainId, typeName, workerId: fence.workerId, attempt, reason }];
}
