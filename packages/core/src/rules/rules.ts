import { start } from "./begin.ts";
import { breakerCloses, breakerFailed, breakerLets, isBreakerPast, openBreaker, withProbe } from "./breaker.ts";
import { cancel } from "./cancel.ts";
import { claimParts } from "./claim-parts.ts";
import { remove, retry, trigger } from "./change.ts";
import { expireDeadlines } from "./deadlines.ts";
import { followLate } from "./late-end.ts";
import { note } from "./note.ts";
import { carryOn } from "./release.ts";
import { changeSchedules, forgetTicks, tick } from "./schedules.ts";
import { compensate, lostReason, settle } from "./settle.ts";
import { signal } from "./wait.ts";

/**
 * What happens to chains: the rules that the stores with one synchronous writer share. Each works on the {@link Rows} of a store,
 * inside one transaction of it.
 *
 * @example
 * function settleIn<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, outcomes: readonly Outcome[]) {
 *   return rules.settle(rows, outcomes, Date.now());
 * }
 */
export const rules = {
  start,
  settle,
  compensate,
  note,
  expireDeadlines,
  followLate,
  lostReason,
  carryOn,
  trigger,
  cancel,
  retry,
  remove,
  signal,
  tick,
  changeSchedules,
  forgetTicks,
  breakerFailed,
  breakerCloses,
  breakerLets,
  withProbe,
  openBreaker,
  isBreakerPast,
  claimParts,
} as const;
