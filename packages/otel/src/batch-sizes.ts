import type { Meter } from "@opentelemetry/api";
import type { ObservedAttempt } from "chainwright/adapter";
import { createBounded } from "./bounded.ts";
import { attribute, system } from "./conventions.ts";
import { mostTypes } from "./metrics.ts";

const boundaries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/** Measures how many jobs a handler gets in one call. Events come once for each job, so it is called with the attempt. */
export function batchSizes(meter: Meter): (attempt: ObservedAttempt) => void {
  const size = meter.createHistogram("chainwright.batch.size", {
    unit: "{job}",
    description: "Jobs that a handler gets in one call.",
    advice: { explicitBucketBoundaries: boundaries },
  });
  const typeNames = createBounded(mostTypes);
  return ({ typeName, batch }) => {
    if (batch === undefined) return;
    size.record(batch.length, { [attribute.system]: system, [attribute.destination]: typeNames(typeName) });
  };
}
