import type { Engine } from "../engine/engine.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

/**
 * Tells the store what the limits of the client allow. A worker does it before its first claim. Not at starts: a start in a caller's
 * transaction must not lock a row that all starts share.
 */
export async function declareLimits(
  { state, clock, types, callOptions }: Engine,
  codeVersion: number | undefined,
): Promise<void> {
  const changes = types.limits.all.map(
    ({ name: limit, rule }) => ({ kind: "declare", limit, rule, codeVersion }) as const,
  );
  await retryConflicts(state, clock, () => state.changeLimits(changes, callOptions()));
}
