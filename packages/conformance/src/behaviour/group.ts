import type { CaseGroup } from "../case.ts";
import type { AppFixture } from "./fixture.ts";

/**
 * What some rules need beyond a store. `rowLocks`: transactions that are open at the same time and lock rows, not the store.
 *
 * @example
 * const without: Partial<Record<BehaviourNeed, string>> = { userTable: "a key-value store has no tables" };
 */
export type BehaviourNeed = "userTable" | "notify" | "rowLocks";

export type BehaviourGroup = CaseGroup<AppFixture, BehaviourNeed>;

export function behaviours(subject: string, all: BehaviourGroup["rules"]): BehaviourGroup {
  return { subject, needs: undefined, rules: all };
}

export function behavioursWith(subject: string, needs: BehaviourNeed, all: BehaviourGroup["rules"]): BehaviourGroup {
  return { subject, needs, rules: all };
}
