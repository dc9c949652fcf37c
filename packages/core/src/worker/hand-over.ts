import type { LostReason } from "../model/outcome.ts";
import type { Attempt } from "./attempt.ts";
import { releaseOutcome } from "./failure-outcome.ts";
import { createHandIn, type Lease } from "./hand-in.ts";
import { handIn, type Outbox } from "./outbox.ts";

interface Over {
  readonly attempt: Attempt;
  readonly lease: Lease;
  /** Why its job was lost. */
  readonly lost: LostReason | undefined;
}

/**
 * The handler of an attempt whose job was ended from outside has ended as well. The store is told so: it refuses the outcome, and lets
 * begin what waits for the end of the attempt, such as a compensation. The worker does not know whether anything waits: an earlier step of
 * the chain, a blocker or the start of the chain may have recorded it in another process, and declarations of types alone leave nothing
 * at run time. So each interrupted attempt hands in one outcome, with those of the next exchange.
 */
export function handOver(outbox: Outbox, over: Over): void {
  const { attempt, lease, lost } = over;
  if (lost === undefined || lost === "lease-lost") return;
  const item = createHandIn(attempt, lease, releaseOutcome(attempt.fence));
  item.fate.isReported = true;
  item.fate.isEnded = true;
  handIn(outbox, item);
}
