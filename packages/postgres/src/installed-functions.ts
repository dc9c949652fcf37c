import { allNames, outputsOnly, typesOnly, versionedOutputs } from "./claim-names.ts";
import type { PostgresRow } from "./driver.ts";
import { fillInboxFunction } from "./limits/fill-inbox.ts";
import { changeLimitsFunction } from "./limits/change-limits.ts";
import { leasedRowsFunction } from "./limits/claim-lanes.ts";
import { beginFollowersFunction } from "./ends/begin-followers.ts";
import { compensateFunction } from "./ends/compensate.ts";
import { expireChainsFunction } from "./ends/expire-chains.ts";
import { followEndsFunction } from "./ends/follow-ends.ts";
import { followersOfFunction } from "./ends/followers-of.ts";
import { ownBlockersFunction, unneededFunction } from "./ends/own-blockers.ts";
import { passCompensationsFunction } from "./ends/pass-compensations.ts";
import { startFollowUpsFunction } from "./ends/start-follow-ups.ts";
import { begunFollowUpsFunction, reopenEndsFunction, withdrawFollowUpsFunction } from "./ends/withdraw-follow-ups.ts";
import { giveBackFunction, leaveLaneFunction } from "./limits/give-back.ts";
import { leaseLanesFunction } from "./limits/lease-lanes.ts";
import { openLanesFunction } from "./limits/open-lanes.ts";
import { mayProbeFunction } from "./limits/probes.ts";
import { repairPlacesFunction, tidyLimitsFunction } from "./limits/tidy-limits.ts";
import { makePlacesFunction } from "./limits/make-places.ts";
import { usablePlacesFunction } from "./limits/usable-places.ts";
import { forgetNotesFunction, noteSpentFunction } from "./notes/spent.ts";
import { noteFunction, reportFunction } from "./notes/write.ts";
import { renewFunction } from "./operations/renew.ts";
import { beginInTurnFunction } from "./rules/begin-in-turn.ts";
import { beginFunction } from "./rules/begin.ts";
import { blockFunction } from "./rules/block.ts";
import { cancelChainsFunction, cancelFunction } from "./rules/cancel.ts";
import { removeFunction, retryFunction } from "./rules/change.ts";
import { changeSchedulesFunction } from "./rules/change-schedules.ts";
import { claimAnyFunction, claimLimitedFunction } from "./rules/claim.ts";
import { claimFunction, claimedRareFunction, claimStartFunction, makeReadyFunction } from "./rules/claim-plain.ts";
import { cycleFunction } from "./rules/cycle.ts";
import { deleteChainsFunction } from "./rules/delete-chains.ts";
import { soonestSchedulesFunction } from "./rules/soonest-schedules.ts";
import { endFunction, noteStoppedFunction } from "./rules/end.ts";
import { holdFenceFunction, lostReasonFunction } from "./rules/fence.ts";
import { gatherFunction } from "./rules/gather.ts";
import { holdChainsFunction } from "./rules/hold-chains.ts";
import { lockFreeRowsFunction } from "./rules/lock-free-rows.ts";
import { lookBackFunction } from "./rules/look-back.ts";
import { openStepFunction } from "./rules/open-step.ts";
import { setPausesFunction } from "./rules/pause.ts";
import { releaseFunction } from "./rules/release.ts";
import { blockerStatesFunction, reblockFunction, reopenFunction, retakeKeyFunction } from "./rules/reopen.ts";
import { resumeReleaseAloneFunction, resumeReleaseFunction } from "./rules/resume-release.ts";
import { settleEndsFunction, trySettleEndsFunction } from "./rules/settle-ends.ts";
import { settleManyFunction } from "./rules/settle-many.ts";
import { continueOneFunction, settleOneFunction } from "./rules/settle-one.ts";
import { settleFunction } from "./rules/settle.ts";
import { startFunction, startLimitedFunction, startPlainFunction } from "./rules/start.ts";
import { takeKeysFunction } from "./rules/take-keys.ts";
import { tickFunction } from "./rules/tick.ts";
import { triggerFunction } from "./rules/trigger.ts";
import type { Schema } from "./schema.ts";
import { beginWaitFunction, beginWaitsFunction, leaveTopicsFunction } from "./signals/begin-waits.ts";
import { deliverFunction } from "./signals/deliver.ts";
import { forgetPublicationsFunction } from "./signals/forget.ts";
import { endsWaitFunction } from "./signals/received.ts";
import { signalOneFunction } from "./signals/signal-one.ts";
import { signalFunction } from "./signals/signal.ts";
import { startWaitingFunction } from "./signals/start-waiting.ts";
import { lockTopicsFunction } from "./signals/topic-locks.ts";
import { transactionIdFunction } from "./transaction-id.ts";
import { expireFunction, keepEntriesFunction, retentionFunction } from "./upkeep/retention.ts";
import { settledPositionFunction } from "./upkeep/settled-position.ts";
import { forgetTicksFunction } from "./upkeep/forget-ticks.ts";
import { talliedFunction, tallyFunction } from "./upkeep/tally.ts";
import { windowsFunction } from "./upkeep/windows.ts";
import { workersFunction } from "./upkeep/workers.ts";

/** The names of functions end in a version. Those of an older version stay for processes that still use it. */
const functions: readonly ((schema: Schema) => string)[] = [
  giveBackFunction,
  leaveLaneFunction,
  makePlacesFunction,
  usablePlacesFunction,
  fillInboxFunction,
  openLanesFunction,
  mayProbeFunction,
  leaseLanesFunction,
  leasedRowsFunction,
  changeLimitsFunction,
  repairPlacesFunction,
  tidyLimitsFunction,
  noteStoppedFunction,
  transactionIdFunction,
  endFunction,
  startFollowUpsFunction,
  followEndsFunction,
  beginFollowersFunction,
  passCompensationsFunction,
  compensateFunction,
  noteSpentFunction,
  noteFunction,
  reportFunction,
  followersOfFunction,
  releaseFunction,
  resumeReleaseFunction,
  resumeReleaseAloneFunction,
  takeKeysFunction,
  beginFunction,
  cycleFunction,
  blockFunction,
  lostReasonFunction,
  holdFenceFunction,
  lockTopicsFunction,
  leaveTopicsFunction,
  endsWaitFunction,
  beginWaitFunction,
  beginWaitsFunction,
  deliverFunction,
  signalFunction,
  signalOneFunction,
  (schema) => startPlainFunction(schema, typesOnly),
  (schema) => startPlainFunction(schema, allNames),
  startLimitedFunction,
  beginInTurnFunction,
  gatherFunction,
  startFunction,
  startWaitingFunction,
  openStepFunction,
  trySettleEndsFunction,
  settleEndsFunction,
  lockFreeRowsFunction,
  settleFunction,
  (schema) => settleOneFunction(schema, outputsOnly),
  (schema) => settleOneFunction(schema, versionedOutputs),
  (schema) => settleManyFunction(schema, outputsOnly),
  (schema) => settleManyFunction(schema, versionedOutputs),
  (schema) => continueOneFunction(schema, typesOnly),
  (schema) => continueOneFunction(schema, allNames),
  claimAnyFunction,
  claimedRareFunction,
  makeReadyFunction,
  claimStartFunction,
  claimFunction,
  claimLimitedFunction,
  lookBackFunction,
  renewFunction,
  setPausesFunction,
  soonestSchedulesFunction,
  changeSchedulesFunction,
  tickFunction,
  triggerFunction,
  ownBlockersFunction,
  unneededFunction,
  cancelChainsFunction,
  cancelFunction,
  expireChainsFunction,
  begunFollowUpsFunction,
  withdrawFollowUpsFunction,
  reopenEndsFunction,
  blockerStatesFunction,
  retakeKeyFunction,
  reopenFunction,
  reblockFunction,
  retryFunction,
  holdChainsFunction,
  deleteChainsFunction,
  removeFunction,
  settledPositionFunction,
  expireFunction,
  keepEntriesFunction,
  retentionFunction,
  forgetTicksFunction,
  forgetPublicationsFunction,
  forgetNotesFunction,
  windowsFunction,
  workersFunction,
  tallyFunction,
  talliedFunction,
];

/** The statements that install the functions, in order. */
export function installedFunctions(schema: Schema): readonly string[] {
  return functions.map((text) => text(schema));
}

/** Of the functions that these statements install, the names of those that are missing or have another body. */
export async function differingFunctions(
  query: (text: string, parameter: string) => Promise<readonly PostgresRow[]>,
  schema: Schema,
  statements: readonly string[] = installedFunctions(schema),
): Promise<readonly string[]> {
  const rows = await query(
    `select p.proname, p.prosrc from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = $1::text`,
    schema.name,
  );
  const present = new Map(rows.map(([name, body]) => [String(name), String(body)]));
  return statements
    .map((statement) => ({ name: nameOf(statement, schema), body: bodyOf(statement) }))
    .filter(({ name, body }) => present.get(name) !== body)
    .map(({ name }) => name);
}

/** The name of the function that a statement installs. */
export function nameOf(statement: string, { quoted }: Schema): string {
  const from = `create or replace function ${quoted}.`.length;
  return statement.slice(from, statement.indexOf("(", from));
}

/** The text between the dollar quotes. */
function bodyOf(statement: string): string | undefined {
  return /\nas (\$body\d*\$)([^]*)\1$/.exec(statement)?.[2];
}
