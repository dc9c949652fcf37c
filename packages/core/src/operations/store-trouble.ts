import { isChainwrightError } from "../model/error.ts";
import type { StateAdapter } from "../ports/state.ts";

/**
 * Why a call to the store failed that may succeed later. `away`: the store does not respond. `read-only`: it responds, and
 * accepts no writes. `locked`: the call waited too long for locks, or lost a race; nothing was written.
 */
export type StoreTrouble = "away" | "read-only" | "locked";

/** Undefined: the same call would fail again, because of what it carries. */
export function storeTroubleOf(state: Pick<StateAdapter, "isConflict">, error: unknown): StoreTrouble | undefined {
  if (state.isConflict(error)) return "locked";
  if (isChainwrightError(error, "not-migrated") || isChainwrightError(error, "closed")) return "away";
  if (!isChainwrightError(error, "store-unavailable")) return undefined;
  const { reason } = error.details;
  return reason === "read-only" ? "read-only" : reason === "timeout" ? "locked" : "away";
}
