import { signal } from "@preact/signals";
import type { Action, SessionResponse } from "../../../src/protocol/actions.ts";

/** The user's role and permitted actions; undefined until loaded. */
export const session = signal<SessionResponse | undefined>(undefined);

export function may(action: Action): boolean {
  return session.value?.actions.includes(action) === true;
}

/** Why no action is possible: the database takes no writes. */
export function readOnly(): string | undefined {
  return session.value?.readOnly;
}

/** The highest number of items in one action. */
export function maxItems(): number {
  return session.value?.maxItems ?? 100;
}
