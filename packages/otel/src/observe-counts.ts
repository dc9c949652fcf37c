import { metrics, type BatchObservableResult, type MeterProvider } from "@opentelemetry/api";
import type { JobCounts, PausedTypeInfo } from "chainwright";
import { createBounded } from "./bounded.ts";
import { attribute, scope, system } from "./conventions.ts";

/**
 * Options of `observeCounts`.
 *
 * @example
 * import type { MeterProvider } from "@opentelemetry/api";
 *
 * const optionsFor = (meterProvider: MeterProvider): ObserveCountsOptions => ({ client, meterProvider });
 * const report = (meterProvider: MeterProvider) => observeCounts(optionsFor(meterProvider));
 */
export interface ObserveCountsOptions {
  /** The client whose store is counted. */
  readonly client: {
    countJobs(): Promise<Readonly<Partial<Record<string, JobCounts>>>>;
    listPausedTypes(): Promise<readonly Pick<PausedTypeInfo, "typeName">[]>;
  };
  /** Default: the global meter provider. */
  readonly meterProvider?: MeterProvider | undefined;
}

const waitingStatuses = ["ready", "scheduled", "blocked"] as const;
/** The highest number of distinct job types. */
const mostTypes = 1_000;

/**
 * Reports how many jobs wait and run, the age of the oldest ready job, and which types are paused, read from the store at each collection. Every process
 * reports the same counts: let one process report them, or take the maximum over processes.
 *
 * @example
 * const counts = observeCounts({ client });
 * counts.stop(); // before client.close()
 */
export function observeCounts({ client, meterProvider = metrics.getMeterProvider() }: ObserveCountsOptions): {
  /** Stops reporting. */
  stop(): void;
} {
  const meter = meterProvider.getMeter(scope);
  const waiting = meter.createObservableGauge("chainwright.job.waiting", {
    unit: "{job}",
    description: "Waiting jobs, by status.",
  });
  const running = meter.createObservableGauge("chainwright.job.running", {
    unit: "{job}",
    description: "Jobs that are leased to a worker.",
  });
  const oldest = meter.createObservableGauge("chainwright.job.oldest_ready.age", {
    unit: "s",
    description: "How long the oldest ready job has been ready; 0 if no job is ready.",
  });
  const paused = meter.createObservableGauge("chainwright.type.paused", {
    unit: "{type}",
    description: "1 while the job type is paused.",
  });
  const typeNames = createBounded(mostTypes);
  const gauges = [waiting, running, oldest, paused];

  const report = async (result: BatchObservableResult): Promise<void> => {
    const counts = await client.countJobs();
    const pausedTypes = new Set((await client.listPausedTypes()).map(({ typeName }) => typeName));
    for (const typeName of new Set([...Object.keys(counts), ...pausedTypes]))
      result.observe(paused, pausedTypes.has(typeName) ? 1 : 0, {
        [attribute.system]: system,
        [attribute.destination]: typeNames(typeName),
      });
    for (const [typeName, count] of Object.entries(counts)) {
      if (count === undefined) continue;
      const attributes = { [attribute.system]: system, [attribute.destination]: typeNames(typeName) };
      for (const status of waitingStatuses)
        result.observe(waiting, count[status], { ...attributes, [attribute.status]: status });
      result.observe(running, count.running, attributes);
      result.observe(oldest, (count.oldestReadyMs ?? 0) / 1_000, attributes);
    }
  };
  meter.addBatchObservableCallback(report, gauges);
  return { stop: () => meter.removeBatchObservableCallback(report, gauges) };
}
