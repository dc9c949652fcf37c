import type { HeldAttempt } from "./end-rows.ts";
import { passOn, startFollowUps } from "./follow-ups.ts";
import type { Handle, Rows } from "./rows.ts";

/**
 * What follows for a chain that a process has ended which does not know that anything follows. `held`: the attempt that was running
 * then and may still run.
 */
export function followLate<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  { held, now }: { readonly held: HeldAttempt | undefined; readonly now: number },
): void {
  if (rows.chainStatusOf(chain) === "completed") {
    passOn(rows, chain, now);
    return;
  }
  if (held !== undefined) rows.ends.hold(chain, held);
  startFollowUps(rows, chain, now);
}
