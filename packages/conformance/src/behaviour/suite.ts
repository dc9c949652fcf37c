import { scheduleCallsCases } from "./schedule-calls.ts";
import { schedulesCases } from "./schedules.ts";
import { casesOf, type ConformanceCase } from "../case.ts";
import type { NotifyBackend } from "../notify/backend.ts";
import type { StateBackend } from "../state/backend.ts";
import { asyncContextCases } from "./async-context.ts";
import { badInputCases, declaredCases } from "./bad-input.ts";
import { batchWriteCases } from "./batch-writes.ts";
import { batchKindCases } from "./batch-kinds.ts";
import { batchLeaseCases } from "./batch-leases.ts";
import { batchCases } from "./batches.ts";
import { blockersCases } from "./blockers.ts";
import { brokenNotifyCases } from "./broken-notify.ts";
import { chainCases } from "./chain.ts";
import { clockCases } from "./clock.ts";
import { endsCases } from "./ends.ts";
import { endsLockCases } from "./ends-locks.ts";
import { failedAttemptCases } from "./failed-attempts.ts";
import { failureCases } from "./failure.ts";
import { fanOutCases } from "./fan-out.ts";
import type { BehaviourGroup, BehaviourNeed } from "./group.ts";
import { observingCases } from "./observing.ts";
import { heldUpCases, lateReplyCases, readOnlyCases } from "./held-up.ts";
import { interventionsCases, outsideCases } from "./outside.ts";
import { overEndingsCases } from "./over-endings.ts";
import { overMistakesCases } from "./over-mistakes.ts";
import { ownWritesCases } from "./own-writes.ts";
import { payloadsRoundTripCases, payloadsCases } from "./payloads.ts";
import { schemasCases } from "./schemas.ts";
import { debounceCases } from "./debounce.ts";
import { poolHintCases, poolsCases } from "./pools.ts";
import { poisonCases } from "./poison.ts";
import { findingCases } from "./finding.ts";
import { readingCases } from "./reading.ts";
import { undeclaredCases } from "./undeclared.ts";
import { runRule } from "./fixture.ts";
import { retryByErrorCases } from "./retry-by-error.ts";
import { rowLockCases, startCases } from "./row-locks.ts";
import { breakerCases } from "./breakers.ts";
import { holdKeyCases } from "./hold-key.ts";
import { limitsCases } from "./limits.ts";
import { longHandlerReportCases } from "./long-handler-reports.ts";
import { longHandlerCases } from "./long-handlers.ts";
import { limitsShownCases } from "./limits-shown.ts";
import { pauseCases } from "./pause.ts";
import { awaitIdleCases, pauseTypesCases } from "./pause-types.ts";
import { signalsCases } from "./signals.ts";
import { stopCases } from "./stop.ts";
import { storeAwayCases } from "./store-away.ts";
import { watchingCases } from "./watching.ts";
import { transactionCases } from "./transaction.ts";
import { completeCases } from "./complete.ts";
import { unknownStartCases } from "./unknown-start.ts";
import { unreadableCases } from "./unreadable.ts";
import { versionsCases } from "./versions.ts";
import { wakeUpCases, lookingCases } from "./wake-up.ts";
import { workerCases } from "./worker.ts";

const groups: readonly BehaviourGroup[] = [
  chainCases,
  blockersCases,
  fanOutCases,
  transactionCases,
  completeCases,
  overEndingsCases,
  overMistakesCases,
  ownWritesCases,
  asyncContextCases,
  failureCases,
  failedAttemptCases,
  retryByErrorCases,
  poisonCases,
  batchCases,
  batchLeaseCases,
  batchKindCases,
  batchWriteCases,
  payloadsRoundTripCases,
  payloadsCases,
  schemasCases,
  workerCases,
  interventionsCases,
  outsideCases,
  stopCases,
  pauseCases,
  pauseTypesCases,
  awaitIdleCases,
  debounceCases,
  limitsCases,
  limitsShownCases,
  holdKeyCases,
  breakerCases,
  signalsCases,
  endsCases,
  longHandlerCases,
  longHandlerReportCases,
  watchingCases,
  endsLockCases,
  poolsCases,
  schedulesCases,
  scheduleCallsCases,
  poolHintCases,
  storeAwayCases,
  unknownStartCases,
  readOnlyCases,
  heldUpCases,
  rowLockCases,
  startCases,
  lateReplyCases,
  wakeUpCases,
  brokenNotifyCases,
  lookingCases,
  clockCases,
  observingCases,
  readingCases,
  undeclaredCases,
  findingCases,
  versionsCases,
  unreadableCases,
  badInputCases,
  declaredCases,
];

/**
 * What `behaviourConformance` takes.
 *
 * @example
 * const onMemory: BehaviourConformanceOptions = {
 *   createState: async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} }),
 *   createNotify: async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} }),
 *   without: { userTable: "it has no tables", rowLocks: "it has one writer" },
 * };
 * const cases = behaviourConformance(onMemory);
 */
export interface BehaviourConformanceOptions<Tx = unknown> {
  /** Called once a case; the same as for `stateConformance`. */
  readonly createState: () => Promise<StateBackend<Tx>>;
  /** Called once a case; the same as for `notifyConformance`. Left out: clients and workers look by themselves. */
  readonly createNotify?: (() => Promise<NotifyBackend>) | undefined;
  /** Only these parts of the suite: the text before the colon in the names of cases. Left out: all. */
  readonly areas?: readonly string[] | undefined;
  /** What this pair does not offer, and why: its cases are listed as skipped for that reason. */
  readonly without?: Readonly<Partial<Record<BehaviourNeed, string>>> | undefined;
}

/**
 * What clients and workers promise, on any pair of adapters, as cases for any test runner.
 *
 * @example
 * import { behaviourConformance } from "@chainwright/conformance";
 * import { test } from "vitest";
 *
 * const cases = behaviourConformance({
 *   createState: async () => ({ adapter: createMyStateAdapter(), close: async () => {} }),
 *   without: { userTable: "it keeps everything in memory", rowLocks: "it has one writer" },
 * });
 * for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
 */
export function behaviourConformance<Tx>(options: BehaviourConformanceOptions<Tx>): readonly ConformanceCase[] {
  const { createState, createNotify } = options;
  const noNotify = createNotify === undefined ? { notify: "there is no notify adapter" } : {};
  return casesOf(groups, {
    asked: options.areas,
    without: { ...noNotify, ...options.without },
    within: (rule) => runRule({ createState, createNotify }, rule),
  });
}
