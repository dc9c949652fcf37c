import type { StateAdapter } from "chainwright/adapter";
import { casesOf } from "../case.ts";
import type { ConformanceCase } from "../case.ts";
import { present } from "../check.ts";
import type { StateBackend, StateConformanceOptions } from "./backend.ts";
import type { StateGroup } from "./group.ts";
import { beginning, createStateFixture } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";
import { awaitedCases } from "./awaited.ts";
import { batchCases } from "./batch.ts";
import { blockerCases } from "./blocker.ts";
import { inlineBlockerCases } from "./blocker-inline.ts";
import { blockerRefusalCases } from "./blocker-refusal.ts";
import { blockerEitherWayCases, blockerFailureCases } from "./blocker-failure.ts";
import { cancelStateCases, cancelCases } from "./cancel.ts";
import { claimCases } from "./claim.ts";
import { claimOrderCases } from "./claim-order.ts";
import { closedCases, timeCases } from "./closed.ts";
import { continuationCases } from "./continuation.ts";
import { countCases } from "./count.ts";
import { cycleCases } from "./cycle.ts";
import { deduplicationCases } from "./deduplication.ts";
import { deduplicationRaceCases } from "./deduplication-race.ts";
import { endedTransactionCases } from "./ended-transaction.ts";
import { doctorCases, doctorLoadCases } from "./doctor.ts";
import { doctorTagCases } from "./doctor-tag.ts";
import { fanInWidthCases, fanInCases } from "./fan-in.ts";
import { lateCasesOfFence, fenceCases } from "./fence.ts";
import { keyCases } from "./key.ts";
import { leaseCases } from "./lease.ts";
import { listCases } from "./list.ts";
import { listFilterCases } from "./list-filter.ts";
import { listWalkCases } from "./list-walk.ts";
import { choreCases } from "./chores.ts";
import { maintainCases } from "./maintain.ts";
import { migratedCases, migrationCases } from "./migration.ts";
import { nameCases } from "./name.ts";
import { openStepStateCases, openStepCases } from "./open-step.ts";
import { payloadCorpusCases, payloadCases } from "./payload.ts";
import { progressCases } from "./progress.ts";
import { readCases } from "./read.ts";
import { removeCases } from "./remove.ts";
import { retentionCases } from "./retention.ts";
import { removeRaceCases } from "./remove-race.ts";
import { releaseCases } from "./release.ts";
import { releaseFailureCases } from "./release-failure.ts";
import { releaseLockedCases } from "./release-locked.ts";
import { retryCases } from "./retry.ts";
import { retryDependentsCases } from "./retry-dependents.ts";
import { retrySeveralCases } from "./retry-several.ts";
import { heldLeaseCases, rowLockCases, sharedBlockerCases } from "./row-locks.ts";
import { scheduleCases } from "./schedule.ts";
import { startCases } from "./start.ts";
import { tagCases } from "./tag.ts";
import { transactionRefusalCases } from "./transaction-refusals.ts";
import { transactionCases } from "./transaction.ts";
import { triggerCases } from "./trigger.ts";
import { userTableCases } from "./user-table.ts";
import { workerCases } from "./worker.ts";

const groups: readonly StateGroup[] = [
  startCases,
  claimCases,
  claimOrderCases,
  lateCasesOfFence,
  fenceCases,
  batchCases,
  openStepStateCases,
  openStepCases,
  continuationCases,
  blockerCases,
  inlineBlockerCases,
  blockerRefusalCases,
  blockerEitherWayCases,
  blockerFailureCases,
  fanInWidthCases,
  fanInCases,
  sharedBlockerCases,
  heldLeaseCases,
  releaseCases,
  releaseFailureCases,
  releaseLockedCases,
  rowLockCases,
  awaitedCases,
  cycleCases,
  deduplicationCases,
  deduplicationRaceCases,
  scheduleCases,
  leaseCases,
  triggerCases,
  cancelStateCases,
  cancelCases,
  retryCases,
  retryDependentsCases,
  retrySeveralCases,
  removeCases,
  removeRaceCases,
  transactionRefusalCases,
  transactionCases,
  endedTransactionCases,
  userTableCases,
  readCases,
  listWalkCases,
  listCases,
  listFilterCases,
  tagCases,
  keyCases,
  progressCases,
  countCases,
  workerCases,
  maintainCases,
  doctorCases,
  doctorTagCases,
  doctorLoadCases,
  retentionCases,
  choreCases,
  payloadCorpusCases,
  payloadCases,
  nameCases,
  migratedCases,
  migrationCases,
  closedCases,
  timeCases,
];

/**
 * The contract of the state port as cases for any test runner.
 *
 * @example
 * import { stateConformance } from "@chainwright/conformance";
 * import { test } from "vitest";
 *
 * const cases = stateConformance({
 *   createAdapter: async () => {
 *     const adapter = createMyStateAdapter();
 *     await adapter.migrate();
 *     return { adapter, close: async () => {} };
 *   },
 *   without: { userTable: "it keeps everything in memory", unmigrated: "it migrates nothing", rowLocks: "it has one writer" },
 * });
 * for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
 */
export function stateConformance<Tx>(options: StateConformanceOptions<Tx>): readonly ConformanceCase[] {
  const without = options.without ?? {};
  const migrated = groups.filter((group) => group.needs !== "unmigrated");
  const unmigrated = groups.filter((group) => group.needs === "unmigrated");
  return [
    ...casesOf(migrated, { without, within: (rule) => runRule(options.createAdapter, rule) }),
    ...casesOf(unmigrated, {
      without,
      within: (rule) =>
        runRule(present("options give createUnmigrated, or `without` says why not", options.createUnmigrated), rule),
    }),
  ];
}

async function runRule(
  open: () => Promise<StateBackend>,
  rule: (fixture: StateFixture) => Promise<void>,
): Promise<void> {
  const backends: StateBackend[] = [];
  const adapters: StateAdapter[] = [];
  const openAnother = async () => {
    const backend = await open();
    backends.push(backend);
    adapters.push(backend.adapter);
    return backend;
  };
  try {
    const { adapter: store, connect, userTable, planting } = await openAnother();
    const connectAgain = async () => {
      if (connect === undefined) return store;
      const adapter = await connect();
      adapters.push(adapter);
      return adapter;
    };
    const elsewhere = async () => (await openAnother()).adapter;
    await rule(
      createStateFixture({ store, connect: connectAgain, elsewhere, userTable, planting, clock: { now: beginning } }),
    );
  } finally {
    for (const adapter of adapters) await adapter.close();
    for (const backend of backends) await backend.close();
  }
}
