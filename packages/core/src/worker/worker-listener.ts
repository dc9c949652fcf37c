import type { HubListener } from "../hints/hint-hub.ts";
import type { Hint } from "../ports/notify.ts";
import { hearOfWork } from "./hear-of-work.ts";
import { holdsAny } from "./held-leases.ts";
import { lookNow } from "./next-look.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** What a worker does with the hints of this process and of others. */
export function workerListener(worker: WorkerParts): HubListener {
  const { loop, lookOrder, nextLook, keeper, pausedTypes } = worker;
  return {
    onHints: (hints) => takeHints(worker, hints),
    // Hints were missed: there may be work, and held jobs may have been cancelled.
    onLook() {
      pausedTypes.forget();
      lookNow(nextLook);
      keeper.check();
    },
    onMeeting() {
      // While it stops, the others know already that it leaves.
      if (!loop.stopping) lookOrder.greet();
    },
  };
}

function takeHints(worker: WorkerParts, hints: readonly Hint[]): void {
  const { keeper, slots, types, chores } = worker;
  const interrupted: string[] = [];
  for (const hint of hints) {
    switch (hint.kind) {
      case "paused":
        if (types.has(hint.typeName)) chores.beat();
        break;
      case "deadline":
        chores.deadlines.hear(hint.inMs);
        break;
      case "schedules":
        chores.ticks?.look();
        break;
      case "watched":
        worker.engine.watchedJobs.hear(hint.jobId, hint.forMs);
        break;
      case "interrupt":
        interrupted.push(hint.jobId);
        break;
      default:
        hearOfWork(worker, hint);
    }
  }
  if (holdsAny(slots, interrupted)) keeper.check();
}
