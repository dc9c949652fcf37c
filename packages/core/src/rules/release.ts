import type { Consequences } from "../ports/reply.ts";
import { createBudget, createEffects, followRelease } from "./end.ts";
import { noConsequences } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * How the jobs are released that a call has left behind: every exchange, of any worker or client, carries on one bounded step.
 * The store keeps a release until all of its jobs have been looked at; the one that has waited longest comes first.
 */
export function carryOn<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, now: number): Consequences {
  if (!rows.hasReleases()) return noConsequences;
  const following = { budget: createBudget(), effects: createEffects(), now };
  while (following.budget.left > 0) {
    const waiting = rows.takeRelease(following.budget.left);
    if (waiting === undefined) break;
    followRelease(rows, waiting, following);
  }
  return { ...following.effects, releasing: rows.hasReleases() };
}
