import { metrics, type BatchObservableResult, type Meter, type MeterProvider } from "@opentelemetry/api";
import type { DueSchedulesInfo, JobCounts, PausedTypeInfo, QueuedJobs } from "chainwright";
import { createBounded } from "./bounded.ts";
import { limitGauges, type LimitReader } from "./limit-gauges.ts";
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
  readonly client: LimitReader & {
    countJobs(): Promise<Readonly<Partial<Record<string, JobCounts>>>>;
    countQueuedJobs(): Promise<readonly Pick<QueuedJobs, "typeName" | "version" | "pool" | "ready" | "workers">[]>;
    listDueSchedules(options: { readonly limit: number }): Promise<Pick<DueSchedulesInfo, "lagMs">>;
    listPausedTypes(): Promise<readonly Pick<PausedTypeInfo, "typeName">[]>;
  };
  /** Default: the global meter provider. */
  readonly meterProvider?: MeterProvider | undefined;
}

const waitingStatuses = ["ready", "scheduled", "blocked", "waiting"] as const;
/** The highest number of distinct job types. */
const mostTypes = 1_000;
/** The highest number of distinct pools, and of distinct versions. */
const mostPools = 100;

/**
 * Reports how many jobs wait and run, of each type and under each limit, how many no live worker claims, the age of the oldest ready job, and which types are paused, read
 * from the store at each collection. Every process reports the same counts: let one process report them, or take the maximum over
 * processes.
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
  const typeNames = createBounded(mostTypes);
  const unserved = unservedGauge(meter, typeNames);
  const paused = meter.createObservableGauge("chainwright.type.paused", {
    unit: "{type}",
    description: "1 while the job type is paused.",
  });
  const limits = limitGauges(meter);
  const lag = lagGauge(meter);
  const gauges = [waiting, running, oldest, unserved.gauge, paused, lag, ...limits.gauges];

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
    await unserved.report(result, client);
    result.observe(lag, (await client.listDueSchedules({ limit: 1 })).lagMs / 1_000, { [attribute.system]: system });
    await limits.report(result, client);
  };
  meter.addBatchObservableCallback(report, gauges);
  return { stop: () => meter.removeBatchObservableCallback(report, gauges) };
}

/** The jobs that no live worker claims. */
function unservedGauge(meter: Meter, typeNames: (typeName: string) => string) {
  const gauge = meter.createObservableGauge("chainwright.job.unserved", {
    unit: "{job}",
    description:
      "Ready jobs of a type, version and pool that no live worker claims; nothing is reported for the others.",
  });
  const [poolNames, versions] = [createBounded(mostPools), createBounded(mostPools)];
  return {
    gauge,
    async report(
      result: BatchObservableResult,
      client: Pick<ObserveCountsOptions["client"], "countQueuedJobs">,
    ): Promise<void> {
      for (const { typeName, version, pool, ready, workers } of await client.countQueuedJobs()) {
        if (ready === 0 || workers > 0) continue;
        result.observe(gauge, ready, {
          [attribute.system]: system,
          [attribute.destination]: typeNames(typeName),
          [attribute.version]: versions(String(version)),
          [attribute.pool]: pool === undefined ? "" : poolNames(pool),
        });
      }
    },
  };
}

function lagGauge(meter: Meter) {
  return meter.createObservableGauge("chainwright.schedule.lag", {
    unit: "s",
    description: "How long the tick of a recurring schedule has been due; 0 if none is due.",
  });
}
