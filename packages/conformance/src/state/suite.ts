import type { StateAdapter } from "chainwright/adapter";
import { casesOf, type ConformanceCase } from "../case.ts";
import { present } from "../check.ts";
import { rememberLastCall } from "../last-call.ts";
import { stateAreas } from "./area-names.ts";
import { areaOf, stateGroups } from "./areas.ts";
import type { StateBackend, StateConformanceOptions } from "./backend.ts";
import { beginning, createStateFixture, type StateFixture } from "./fixture.ts";
import { isRead } from "./reads.ts";

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
  const { createAdapter, createUnmigrated, without = {}, areas: asked } = options;
  return casesOf(stateGroups, {
    areas: stateAreas,
    areaOf,
    asked,
    without,
    within: (rule, { needs }) =>
      needs === "unmigrated"
        ? runRule(present("options give createUnmigrated, or `without` says why not", createUnmigrated), rule)
        : runRule(createAdapter, rule),
  });
}

async function runRule(
  open: () => Promise<StateBackend>,
  rule: (fixture: StateFixture) => Promise<void>,
): Promise<void> {
  const backends: StateBackend[] = [];
  const adapters: StateAdapter[] = [];
  const calls = rememberLastCall(isRead);
  const openAnother = async () => {
    const backend = await open();
    backends.push(backend);
    adapters.push(backend.adapter);
    return backend;
  };
  try {
    const { adapter: store, connect, userTable, planting } = await openAnother();
    const connectAgain = async () => {
      if (connect === undefined) return calls.watch(store);
      const adapter = await connect();
      adapters.push(adapter);
      return calls.watch(adapter);
    };
    const elsewhere = async () => calls.watch((await openAnother()).adapter);
    await rule(
      createStateFixture({
        store: calls.watch(store),
        connect: connectAgain,
        elsewhere,
        userTable,
        planting,
        clock: { now: beginning },
      }),
    ).catch(calls.fail);
  } finally {
    for (const adapter of adapters) await adapter.close();
    for (const backend of backends) await backend.close();
  }
}
