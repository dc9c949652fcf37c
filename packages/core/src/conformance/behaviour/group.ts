import type { CaseGroup } from "../case.ts";
import type { Scene } from "./scene.ts";

/**
 * What some rules need beyond a store.
 *
 * @example
 * const without: Partial<Record<BehaviourNeed, string>> = { userTable: "a key-value store has no tables" };
 */
export type BehaviourNeed = "userTable" | "notify";

export type BehaviourGroup = CaseGroup<Scene, BehaviourNeed>;

export function behaviours(area: string, all: BehaviourGroup["rules"]): BehaviourGroup {
  return { area, needs: undefined, rules: all };
}

export function behavioursWith(area: string, needs: BehaviourNeed, all: BehaviourGroup["rules"]): BehaviourGroup {
  return { area, needs, rules: all };
}
