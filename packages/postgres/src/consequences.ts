import type { Consequences, JobRef, StartedJob } from "chainwright/adapter";
import { refOf, startedJobOf } from "./result-rows.ts";
import type { Fact } from "./result-rows.ts";
import { mostAtOnce } from "./rules/release.ts";

/** What the end of a chain brings about, filled as its facts are read. */
export interface Effects extends Consequences {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
  releasing: boolean;
}

export function noEffects(): Effects & { readonly reblocked: JobRef[] } {
  return { unblocked: [], failed: [], reblocked: [], releasing: false };
}

/** Adds a fact of `release_v1`. */
export function addEffect(effects: Effects, fact: Fact): void {
  if (fact.kind === "unblocked") effects.unblocked.push(startedJobOf(fact));
  else if (fact.kind === "failed") effects.failed.push(refOf(fact));
  else if (fact.kind === "releasing" || fact.kind === "locked") effects.releasing = true;
}

export interface Released {
  readonly released: Consequences;
  /** Jobs are left that somebody has locked: milliseconds until it is worth trying again. */
  readonly againInMs: number | undefined;
}

/** How long to leave alone what another transaction has locked. */
const lockedForMs = 1_000;

/** Of the facts of `resume_release_v1`, which have the number -1. */
export function releasedOf(facts: readonly Fact[]): Released {
  const released = noEffects();
  let [taken, locked, isCut] = [undefined as number | undefined, 0, false];
  for (const fact of facts) {
    if (fact.n !== -1) continue;
    if (fact.kind === "carried") taken = fact.attempt;
    else if (fact.kind === "locked") locked += 1;
    else if (fact.kind === "releasing") isCut = true;
    else addEffect(released, fact);
  }
  // A whole batch of jobs that stay locked is no reason to come again at once.
  released.releasing = isCut || (taken === mostAtOnce && locked < taken);
  // Nothing taken: somebody else is at it, and may not come to its end.
  return { released, againInMs: locked > 0 || taken === 0 ? lockedForMs : undefined };
}
