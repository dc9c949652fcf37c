import { isChainwrightError } from "../model/error.ts";
import type { StateAdapter } from "../ports/state.ts";

/**
 * Why the store has not taken a call that it may take later. `away`: it cannot be reached. `read-only`: it can, and takes no
 * writes. `locked`: it can, and the call waited too long for what others hold, or lost a race; nothing was written.
 */
export type Trouble = "away" | "read-only" | "locked";

/** Undefined: the same call would fail again, because of what it carries. */
export function troubleOf(state: StateAdapter, error: unknown): Trouble | undefined {
  if (state.isConflict(error)) return "locked";
  if (isChainwrightError(error, "not-migrated") || isChainwrightError(error, "closed")) return "away";
  if (!isChainwrightError(error, "store-unavailable")) return undefined;
  const { reason } = error.details;
  return reason === "read-only" ? "read-only" : reason === "timeout" ? "locked" : "away";
}
