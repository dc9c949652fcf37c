import { stateAreas, type StateArea } from "./area-names.ts";
import type { StateGroup } from "./group.ts";
import { laterArea } from "./later-cases.ts";
import { awaitedCases } from "./awaited.ts";
import { batchCases } from "./batch.ts";
import { blockerCases } from "./blocker.ts";
import { inlineBlockerCases } from "./blocker-inline.ts";
import { blockerRefusalCases } from "./blocker-refusal.ts";
import { blockerEitherWayCases, blockerFailureCases } from "./blocker-failure.ts";
import { cancelStateCases, cancelCases } from "./cancel.ts";
import { claimCases } from "./claim.ts";
import { claimNameCases } from "./claim-name.ts";
import { claimNameFactCases } from "./claim-name-facts.ts";
import { claimLimitCases, claimNameLimitCases } from "./claim-limit.ts";
import { claimOrderCases } from "./claim-order.ts";
import { closedCases, timeCases } from "./closed.ts";
import { continuationCases } from "./continuation.ts";
import { countCases } from "./count.ts";
import { cycleCases } from "./cycle.ts";
import { debounceCases } from "./debounce.ts";
import { debounceLockCases, debounceRaceCases } from "./debounce-race.ts";
import { deduplicationCases } from "./deduplication.ts";
import { deduplicationRaceCases } from "./deduplication-race.ts";
import { endedTransactionCases } from "./ended-transaction.ts";
import { doctorCases, doctorLoadCases } from "./doctor.ts";
import { doctorClaimNameCases } from "./doctor-claim-name.ts";
import { doctorNoteCases } from "./doctor-note.ts";
import { doctorTagCases } from "./doctor-tag.ts";
import { fanInWidthCases, fanInCases } from "./fan-in.ts";
import { lateCasesOfFence, fenceCases } from "./fence.ts";
import { keyCases } from "./key.ts";
import { leaseCases } from "./lease.ts";
import { limitCases } from "./limits.ts";
import { limitBreakerCases } from "./limits-breaker.ts";
import { limitHalfOpenCases } from "./limits-half-open.ts";
import { limitIdleCases } from "./limits-idle.ts";
import { limitLaneCases } from "./limits-lanes.ts";
import { limitHoldingCases } from "./limits-holding.ts";
import { doctorLimitCases } from "./doctor-limits.ts";
import { limitFactCases } from "./limits-facts.ts";
import { limitTransactionCases } from "./limits-transaction.ts";
import { limitUpkeepCases } from "./limits-upkeep.ts";
import { limitRateCases } from "./limits-rate.ts";
import { limitRuleCases } from "./limits-rules.ts";
import { limitWayCases } from "./limits-ways.ts";
import { listCases } from "./list.ts";
import { listFilterCases } from "./list-filter.ts";
import { listPayloadCases } from "./list-payload.ts";
import { listWalkCases } from "./list-walk.ts";
import { choreCases } from "./chores.ts";
import { maintainCases } from "./maintain.ts";
import { migratedCases, migrationCases } from "./migration.ts";
import { nameCases } from "./name.ts";
import { openStepStateCases, openStepCases } from "./open-step.ts";
import { pauseCases } from "./pause.ts";
import { pauseClaimNameCases } from "./pause-names.ts";
import { payloadCorpusCases, payloadCases } from "./payload.ts";
import { progressCases } from "./progress.ts";
import { readCases } from "./read.ts";
import { removeCases } from "./remove.ts";
import { retentionCases } from "./retention.ts";
import { removeRaceCases } from "./remove-race.ts";
import { recurringCases } from "./recurring.ts";
import { tickCases } from "./tick.ts";
import { tickClaimNameCases, tickUpkeepCases } from "./tick-upkeep.ts";
import { endBlockerCases } from "./ends/blockers.ts";
import { deadlineCases } from "./ends/deadlines.ts";
import { endStopCases } from "./ends/follow-ups.ts";
import { followingCases } from "./ends/following.ts";
import { endRetryCases } from "./ends/retry.ts";
import { noteFenceCases } from "./notes/fences.ts";
import { memoCases } from "./notes/memos.ts";
import { reportCases } from "./notes/reports.ts";
import { noteLockCases } from "./notes/row-locks.ts";
import { releaseCases } from "./release.ts";
import { releaseFailureCases } from "./release-failure.ts";
import { releaseLockedCases } from "./release-locked.ts";
import { retryCases } from "./retry.ts";
import { retryDependentsCases } from "./retry-dependents.ts";
import { retrySeveralCases } from "./retry-several.ts";
import { heldLeaseCases, rowLockCases, sharedBlockerCases } from "./row-locks.ts";
import { scheduleCases } from "./schedule.ts";
import { signalCallCases } from "./signals-calls.ts";
import { signalRaceCases } from "./signals-race.ts";
import { signalTimeCases } from "./signals-time.ts";
import { signalTopicCases } from "./signals-topics.ts";
import { signalCases } from "./signals.ts";
import { startCases } from "./start.ts";
import { tagCases } from "./tag.ts";
import { throttleCases } from "./throttle.ts";
import { transactionRefusalCases } from "./transaction-refusals.ts";
import { transactionCases } from "./transaction.ts";
import { transactionWaitCases } from "./transaction-waits.ts";
import { triggerCases } from "./trigger.ts";
import { userTableCases } from "./user-table.ts";
import { failureGroupCases } from "./failure-groups.ts";
import { historyCases } from "./history.ts";
import { lostWorkerCases } from "./lost-workers.ts";
import { workerCases } from "./worker.ts";

/** The rules of each area. */
const groupsByArea: Readonly<Record<StateArea, readonly StateGroup[]>> = {
  "start and reads": [
    startCases,
    readCases,
    listWalkCases,
    listCases,
    listFilterCases,
    countCases,
    progressCases,
    payloadCorpusCases,
    payloadCases,
    nameCases,
    migratedCases,
    migrationCases,
    closedCases,
    timeCases,
  ],
  "claim and settle": [claimCases, claimLimitCases, claimOrderCases, scheduleCases, batchCases],
  transactions: [
    transactionRefusalCases,
    transactionCases,
    transactionWaitCases,
    endedTransactionCases,
    userTableCases,
  ],
  "fences and leases": [lateCasesOfFence, fenceCases, leaseCases],
  continuations: [openStepStateCases, openStepCases, continuationCases],
  "trigger, cancel and delete": [triggerCases, cancelStateCases, cancelCases, removeCases, removeRaceCases],
  blockers: [
    listPayloadCases,
    blockerCases,
    inlineBlockerCases,
    blockerRefusalCases,
    blockerEitherWayCases,
    blockerFailureCases,
    fanInWidthCases,
    fanInCases,
    releaseCases,
    releaseFailureCases,
    cycleCases,
  ],
  deduplication: [deduplicationCases, deduplicationRaceCases, debounceCases, debounceRaceCases, throttleCases],
  retry: [retryCases, retryDependentsCases, retrySeveralCases],
  "tags and keys": [tagCases, keyCases],
  upkeep: [workerCases, maintainCases, retentionCases, choreCases],
  pauses: [pauseCases],
  schedules: [recurringCases, tickCases, tickUpkeepCases],
  doctor: [doctorCases, doctorTagCases, doctorLoadCases],
  "awaited ends": [awaitedCases],
  history: [historyCases, lostWorkerCases, failureGroupCases],
  "versions and pools": [
    claimNameCases,
    claimNameLimitCases,
    claimNameFactCases,
    doctorClaimNameCases,
    pauseClaimNameCases,
    tickClaimNameCases,
  ],
  limits: [
    limitCases,
    limitLaneCases,
    limitIdleCases,
    limitRateCases,
    limitRuleCases,
    limitBreakerCases,
    limitHalfOpenCases,
    limitHoldingCases,
    limitWayCases,
    limitFactCases,
    limitTransactionCases,
    limitUpkeepCases,
    doctorLimitCases,
  ],
  ends: [endStopCases, followingCases, endRetryCases, endBlockerCases, deadlineCases],
  notes: [memoCases, reportCases, noteFenceCases, doctorNoteCases],
  signals: [signalCases, signalCallCases, signalTimeCases, signalTopicCases, signalRaceCases],
  "row locks": [sharedBlockerCases, heldLeaseCases, releaseLockedCases, rowLockCases, debounceLockCases, noteLockCases],
};

export const stateGroups: readonly StateGroup[] = stateAreas.flatMap((area) => groupsByArea[area]);

/** The area of a case: that of its group, or a later one where it needs more. */
export function areaOf(group: StateGroup, name: string): StateArea {
  const own = stateAreas.find((area) => groupsByArea[area].some((each) => each === group));
  const later = laterArea(name);
  if (own === undefined) throw new TypeError(`the group of "${name}" must be in an area`);
  return later !== undefined && stateAreas.indexOf(later) > stateAreas.indexOf(own) ? later : own;
}
