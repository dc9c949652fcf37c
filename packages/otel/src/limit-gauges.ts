import type { BatchObservableResult, Meter, Observable } from "@opentelemetry/api";
import type { LimitInfo, Page } from "chainwright";
import { createBounded } from "./bounded.ts";
import { attribute, system } from "./conventions.ts";

/** The calls of a client that read limits. */
export interface LimitReader {
  listLimits(options: {
    readonly pageSize: number;
    readonly cursor: string | undefined;
  }): Promise<Page<Pick<LimitInfo, "limit" | "running" | "waiting">>>;
}

/** The highest number of distinct limits. */
const mostLimits = 100;
/** The keys that are read at most for one collection: those beyond them are not counted. */
const [pageSize, mostPages] = [1_000, 10];

/** Gauges of what runs and waits under each limit: the sum over its keys, of which there may be millions. */
export function limitGauges(meter: Meter): {
  readonly gauges: readonly Observable[];
  report(result: BatchObservableResult, client: LimitReader): Promise<void>;
} {
  const running = meter.createObservableGauge("chainwright.limit.running", {
    unit: "{job}",
    description: "Jobs that hold a place of a limit.",
  });
  const waiting = meter.createObservableGauge("chainwright.limit.waiting", {
    unit: "{job}",
    description: "Ready jobs that wait for a limit.",
  });
  const names = createBounded(mostLimits);
  return {
    gauges: [running, waiting],
    async report(result, client) {
      for (const [limit, sums] of await sumsByLimit(client, names)) {
        const attributes = { [attribute.system]: system, [attribute.limit]: limit };
        result.observe(running, sums.running, attributes);
        result.observe(waiting, sums.waiting, attributes);
      }
    },
  };
}

async function sumsByLimit(client: LimitReader, nameOf: (limit: string) => string) {
  const byLimit = new Map<string, { running: number; waiting: number }>();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { items, nextCursor } = await client.listLimits({ pageSize, cursor });
    for (const { limit, running, waiting } of items) {
      const name = nameOf(limit);
      const sums = byLimit.get(name) ?? { running: 0, waiting: 0 };
      byLimit.set(name, { running: sums.running + running, waiting: sums.waiting + waiting });
    }
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return byLimit;
}
