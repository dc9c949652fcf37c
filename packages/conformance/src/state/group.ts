import type { CaseGroup } from "../case.ts";
import type { StateNeed } from "./backend.ts";
import type { StateFixture } from "./fixture.ts";

export type StateGroup = CaseGroup<StateFixture, StateNeed>;

/** Rules that every store keeps. */
export function rules(subject: string, all: StateGroup["rules"]): StateGroup {
  return { subject, needs: undefined, rules: all };
}

/** Rules that need something beside the port. */
export function rulesWith(subject: string, needs: StateNeed, all: StateGroup["rules"]): StateGroup {
  return { subject, needs, rules: all };
}
