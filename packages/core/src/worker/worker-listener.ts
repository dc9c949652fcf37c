import { splitClaimName } from "../model/claim-name.ts";
import type { HubListener } from "../hints/hint-hub.ts";
import type { Hint } from "../ports/notify.ts";
import { holdsAny } from "./held-leases.ts";
import { lookNow, noteDueTaken } from "./next-look.ts";
import type { WorkerParts } from "./worker-parts.ts";

type Freed = Extract<Hint, { readonly kind: "freed" }>;
type Ready = Extract<Hint, { readonly kind: "ready" }>;

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
  const { nextLook, keeper, slots, lookOrder, types, chores } = worker;
  const interrupted: string[] = [];
  for (const hint of hints) {
    switch (hint.kind) {
      case "ready":
        if (hint.draw === undefined) lookAtOnce(worker, hint.typeName);
        else lookInTurn(worker, hint);
        break;
      case "paused":
        if (types.has(hint.typeName)) chores.beat();
        break;
      case "freed":
        takeFreed(worker, hint);
        break;
      case "deadline":
        chores.deadlines.hear(hint.inMs);
        break;
      case "schedules":
        chores.ticks?.look();
        break;
      case "taken":
        if (lookOrder.taken(hint)) noteDueTaken(nextLook, lookOrder.others());
        break;
      case "left":
        lookOrder.left(hint.workerId);
        break;
      case "watched":
        worker.engine.watchedJobs.hear(hint.jobId, hint.forMs);
        break;
      case "interrupt":
        interrupted.push(hint.jobId);
        break;
      default:
    }
  }
  if (holdsAny(slots, interrupted)) keeper.check();
}

/** Places are free: as many workers look as for as many jobs of each type that may wait for one. */
function takeFreed(worker: WorkerParts, { limit, count, draw }: Freed): void {
  for (const typeName of worker.limitedJobs.namesUnder(limit))
    lookInTurn(worker, { kind: "ready", typeName, count, draw });
}

function lookInTurn({ pausedTypes, lookOrder }: WorkerParts, hint: Ready): void {
  if (!pausedTypes.has(splitClaimName(hint.typeName).typeName)) lookOrder.ready(hint);
}

/** The type may have been resumed. */
function lookAtOnce({ types, pausedTypes, nextLook }: WorkerParts, typeName: string): void {
  if (!types.has(typeName)) return;
  pausedTypes.resume(typeName);
  lookNow(nextLook);
}
