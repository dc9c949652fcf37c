import { casesOf, type ConformanceCase } from "../case.ts";
import type { NotifyConformanceOptions } from "./backend.ts";
import { deliveryCases, elsewhereCases, junkCases } from "./delivery.ts";
import { runRule } from "./fixture.ts";
import { closeCases, subscriptionCases, watchCases } from "./subscription.ts";

const groups = [deliveryCases, elsewhereCases, junkCases, subscriptionCases, closeCases, watchCases];

/**
 * The contract of the notify port as cases for any test runner.
 *
 * @example
 * import { notifyConformance } from "@chainwright/conformance";
 * import { test } from "vitest";
 *
 * const cases = notifyConformance({
 *   createAdapter: async () => ({ adapter: createMyNotifyAdapter(), close: async () => {} }),
 *   without: { elsewhere: "it has one channel", say: "only adapters can write", breakLinks: "it has no connections" },
 * });
 * for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
 */
export function notifyConformance(options: NotifyConformanceOptions): readonly ConformanceCase[] {
  const { createAdapter, without = {}, areas: asked } = options;
  return casesOf(groups, { asked, without, within: (rule) => runRule(createAdapter, rule) });
}
