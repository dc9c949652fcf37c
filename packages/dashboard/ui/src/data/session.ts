import { signal } from "@preact/signals";
import type { Action, SessionResponse } from "../../../src/protocol/actions.ts";

/** Who looks, and what they may do; undefined until the server has said. */
export const session = signal<SessionResponse | undefined>(undefined);

export function may(action: Action): boolean {
  return session.value?.actions.includes(action) === true;
}

/** The most items of one action. */
export function maxItems(): number {
  return session.value?.maxItems ?? 100;
}
