import { splitClaimName } from "../model/claim-name.ts";
import type { LookOrder } from "../hints/look-order.ts";
import type { Hint } from "../ports/notify.ts";
import type { LimitedJobs } from "./limited-jobs.ts";
import { lookNow, noteDueTaken, type NextLook } from "./next-look.ts";
import type { PausedTypes } from "./paused-types.ts";

type Ready = Extract<Hint, { readonly kind: "ready" }>;

/** What looks for jobs of some types. */
export interface Looking {
  readonly types: ReadonlySet<string>;
  readonly nextLook: NextLook;
  readonly lookOrder: LookOrder;
  readonly limitedJobs: Pick<LimitedJobs, "namesUnder">;
  /** What is known of pauses: the jobs of a paused type are not looked for. */
  readonly pausedTypes: Pick<PausedTypes, "has" | "resume">;
}

/** Takes a hint that says where jobs are, or who has taken them. Other hints have no effect. */
export function hearOfWork(looking: Looking, hint: Hint): void {
  const { nextLook, lookOrder, limitedJobs } = looking;
  switch (hint.kind) {
    case "ready":
      if (hint.draw === undefined) lookAtOnce(looking, hint.typeName);
      else lookInTurn(looking, hint);
      break;
    case "freed":
      // As many workers look as for as many jobs of each type that may wait for a place.
      for (const typeName of limitedJobs.namesUnder(hint.limit))
        lookInTurn(looking, { kind: "ready", typeName, count: hint.count, draw: hint.draw });
      break;
    case "taken":
      if (lookOrder.taken(hint)) noteDueTaken(nextLook, lookOrder.others());
      break;
    case "left":
      lookOrder.left(hint.workerId);
      break;
    default:
  }
}

function lookInTurn({ pausedTypes, lookOrder }: Looking, hint: Ready): void {
  if (!pausedTypes.has(splitClaimName(hint.typeName).typeName)) lookOrder.ready(hint);
}

/** The type may have been resumed. */
function lookAtOnce({ types, pausedTypes, nextLook }: Looking, typeName: string): void {
  if (!types.has(typeName)) return;
  pausedTypes.resume(typeName);
  lookNow(nextLook);
}
