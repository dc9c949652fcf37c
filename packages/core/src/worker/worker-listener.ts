import type { HubListener } from "../hints/hint-hub.ts";
import type { Hint } from "../ports/notify.ts";
import { holdsAny } from "./held-leases.ts";
import { lookNow, noteDueTaken } from "./next-look.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** What a worker does with the hints of this process and of others. */
export function workerListener(worker: WorkerParts): HubListener {
  const { loop, lookOrder, nextLook, keeper } = worker;
  return {
    onHints: (hints) => takeHints(worker, hints),
    // Hints were missed: there may be work, and held jobs may have been cancelled.
    onLook() {
      lookNow(nextLook);
      keeper.check();
    },
    onMeeting() {
      // While it stops, the others know already that it leaves.
      if (!loop.stopping) lookOrder.greet();
    },
  };
}

function takeHints({ nextLook, keeper, slots, lookOrder, types }: WorkerParts, hints: readonly Hint[]): void {
  const interrupted: string[] = [];
  for (const hint of hints) {
    switch (hint.kind) {
      case "ready":
        if (hint.draw !== undefined) lookOrder.ready(hint);
        else if (types.has(hint.typeName)) lookNow(nextLook);
        break;
      case "taken":
        if (lookOrder.taken(hint)) noteDueTaken(nextLook, lookOrder.others());
        break;
      case "left":
        lookOrder.left(hint.workerId);
        break;
      case "interrupt":
        interrupted.push(hint.jobId);
        break;
      default:
    }
  }
  if (holdsAny(slots, interrupted)) keeper.check();
}
