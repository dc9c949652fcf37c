import type { CaseGroup } from "../case.ts";
import type { StateNeed } from "./backend.ts";
import type { StateFixture } from "./fixture.ts";

export type StateGroup = CaseGroup<StateFixture, StateNeed>;

/** Rules that every store keeps. */
export function rules(area: string, all: StateGroup["rules"]): StateGroup {
  return { area, needs: undefined, rules: all };
}

/** Rules that need something beside the port. */
export function rulesWith(area: string, needs: StateNeed, all: StateGroup["rules"]): StateGroup {
  return { area, needs, rules: all };
}
