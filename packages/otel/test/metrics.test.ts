import type { MetricData } from "@opentelemetry/sdk-metrics";
import { describe, expect, it } from "vitest";
import { createOtelObserver, observeCounts } from "../src/index.ts";
import { measured } from "./events.ts";
import { createSdk } from "./sdk.ts";

const counts = { ready: 4, scheduled: 3, blocked: 2, waiting: 0, running: 1, completed: 9, failed: 0, cancelled: 0 };

/** One line per data point: name, unit, value (for a histogram: count and sum), attributes. */
function linesOf(metrics: readonly MetricData[]): string[] {
  return metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
    dataPoints.map(({ attributes, value }) => {
      const number =
        typeof value === "number" ? String(value) : `${value.count}/${String("sum" in value && value.sum)}`;
      const { "messaging.system": system, ...others } = attributes;
      expect(system).toBe("chainwright");
      return `${name} ${unit} ${number} ${JSON.stringify(others).replaceAll('"', "")}`;
    }),
  );
}

describe("the metrics", () => {
  it("have these names, units and attributes", async () => {
    const sdk = createSdk();
    const observer = createOtelObserver(sdk);
    for (const event of measured) observer(event);
    const reported = observeCounts({
      client: {
        countJobs: async () => ({
          echo: { ...counts, oldestReadyMs: 2_500 },
          idle: { ...counts, oldestReadyMs: undefined },
        }),
        countQueuedJobs: async () => [
          { typeName: "echo", version: 3, pool: undefined, ready: 12, workers: 0 },
          { typeName: "echo", version: 2, pool: "gpu", ready: 1, workers: 0 },
          { typeName: "echo", version: 2, pool: undefined, ready: 5, workers: 2 },
          { typeName: "echo", version: 1, pool: "big", ready: 0, workers: 0 },
        ],
        listDueSchedules: async () => ({ lagMs: 1_500 }),
        listPausedTypes: async () => [{ typeName: "echo" }],
        listLimits: async ({ cursor }) =>
          cursor === undefined
            ? { items: [{ limit: "smtp", running: 2, waiting: 1 }], nextCursor: "next" }
            : { items: [{ limit: "smtp", running: 3, waiting: 4 }], nextCursor: undefined },
      },
      meterProvider: sdk.meterProvider,
    });
    const lines = linesOf(await sdk.metrics());
    expect(lines.filter((line) => !line.includes("idle")).join("\n")).toMatchInlineSnapshot(`
      "messaging.client.sent.messages {message} 1 {messaging.destination.name:echo,messaging.operation.name:start}
      messaging.client.sent.messages {message} 1 {messaging.destination.name:echo,messaging.operation.name:continue}
      messaging.client.sent.messages {message} 1 {messaging.destination.name:echo,messaging.operation.name:retry}
      messaging.client.consumed.messages {message} 1 {messaging.destination.name:echo,messaging.operation.name:claim}
      messaging.process.duration s 1/0.25 {messaging.destination.name:echo,messaging.operation.name:process}
      messaging.process.duration s 1/0.25 {messaging.destination.name:echo,messaging.operation.name:process,error.type:TypeError}
      chainwright.job.wait.duration s 1/1.5 {messaging.destination.name:echo}
      chainwright.job.retried {attempt} 1 {messaging.destination.name:echo,chainwright.reason:error}
      chainwright.job.retried {attempt} 1 {messaging.destination.name:echo,chainwright.reason:rescheduled}
      chainwright.job.failed {job} 1 {messaging.destination.name:echo,error.type:TypeError}
      chainwright.job.failed {job} 1 {messaging.destination.name:echo,error.type:blocker-failed}
      chainwright.job.unreadable {job} 1 {messaging.destination.name:echo,chainwright.reason:newer-version}
      chainwright.chain.debounced {start} 1 {messaging.destination.name:echo,chainwright.reason:debounce}
      chainwright.limit.beginnings {attempt} 1 {chainwright.limit:smtp}
      chainwright.limit.opened {key} 1 {chainwright.limit:smtp}
      chainwright.limit.closed {key} 1 {chainwright.limit:smtp}
      chainwright.lease.lost {lease} 1 {messaging.destination.name:echo,chainwright.reason:cancelled}
      chainwright.exchange.size {job} 1/3 {chainwright.exchange.part:settled}
      chainwright.exchange.size {job} 1/5 {chainwright.exchange.part:claimed}
      chainwright.exchange.duration s 1/0.004 {}
      chainwright.connection.lost {loss} 1 {chainwright.connection:store}
      chainwright.connection.lost {loss} 1 {chainwright.connection:notifications}
      chainwright.upkeep.failed {failure} 1 {chainwright.chore:retention}
      chainwright.note.memos {memo} 2 {}
      chainwright.note.checkpoints {checkpoint} 1 {}
      chainwright.note.duration s 1/0.004 {}
      chainwright.log.dropped {line} 7 {messaging.destination.name:echo}
      chainwright.job.waiting {job} 4 {messaging.destination.name:echo,chainwright.job.status:ready}
      chainwright.job.waiting {job} 3 {messaging.destination.name:echo,chainwright.job.status:scheduled}
      chainwright.job.waiting {job} 2 {messaging.destination.name:echo,chainwright.job.status:blocked}
      chainwright.job.waiting {job} 0 {messaging.destination.name:echo,chainwright.job.status:waiting}
      chainwright.job.running {job} 1 {messaging.destination.name:echo}
      chainwright.job.oldest_ready.age s 2.5 {messaging.destination.name:echo}
      chainwright.job.unserved {job} 12 {messaging.destination.name:echo,chainwright.job.version:3,chainwright.job.pool:}
      chainwright.job.unserved {job} 1 {messaging.destination.name:echo,chainwright.job.version:2,chainwright.job.pool:gpu}
      chainwright.type.paused {type} 1 {messaging.destination.name:echo}
      chainwright.limit.running {job} 5 {chainwright.limit:smtp}
      chainwright.limit.waiting {job} 5 {chainwright.limit:smtp}
      chainwright.schedule.lag s 1.5 {}"
    `);
    expect(lines.filter((line) => line.includes("age s 0 "))).toHaveLength(1);
    expect(lines).toContain("chainwright.type.paused {type} 0 {messaging.destination.name:idle}");
    expect(lines.join("\n")).not.toContain("payload-secret");
    reported.stop();
  });

  it("of events continue while the store is unavailable, and its counts return with it", async () => {
    const sdk = createSdk();
    const observer = createOtelObserver(sdk);
    let isUnavailable = true;
    const reported = observeCounts({
      client: {
        async countJobs() {
          if (isUnavailable) throw new Error("the store is unavailable");
          return { echo: { ...counts, oldestReadyMs: 2_500 } };
        },
        countQueuedJobs: async () => [],
        listDueSchedules: async () => ({ lagMs: 0 }),
        listPausedTypes: async () => [],
        listLimits: async () => ({ items: [], nextCursor: undefined }),
      },
      meterProvider: sdk.meterProvider,
    });
    for (const event of measured) observer(event);
    const away = linesOf(await sdk.metrics()).join("\n");
    expect(away).toContain("chainwright.job.failed");
    expect(away).not.toContain("chainwright.job.waiting");
    isUnavailable = false;
    expect(linesOf(await sdk.metrics()).join("\n")).toContain("chainwright.job.waiting");
    reported.stop();
  });

  it("are not counted any more after stop", async () => {
    const sdk = createSdk();
    let calls = 0;
    const client = {
      countJobs: async () => {
        calls += 1;
        return {};
      },
      countQueuedJobs: async () => [],
      listDueSchedules: async () => ({ lagMs: 0 }),
      listPausedTypes: async () => [],
      listLimits: async () => ({ items: [], nextCursor: undefined }),
    };
    const reported = observeCounts({ client, meterProvider: sdk.meterProvider });
    await sdk.metrics();
    reported.stop();
    await sdk.metrics();
    expect(calls).toBe(1);
  });

  it("limit the distinct values of an attribute, for any names of errors and types", async () => {
    const sdk = createSdk();
    const observer = createOtelObserver(sdk);
    const attempt = { jobId: "j", chainId: "c", workerId: "w", attempt: 1 };
    for (let n = 0; n < 3_000; n += 1) {
      const error = { name: `Error${n}`, message: "" };
      observer({ type: "attempt-ended", ...attempt, typeName: "echo", durationMs: 1, error });
      observer({ type: "job-claimed", ...attempt, typeName: `type${n}`, waitedMs: 1 });
    }
    const metrics = await sdk.metrics();
    const valuesOf = (name: string, key: string) =>
      metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints.map(({ attributes }) => attributes[key]) ??
      [];
    const errors = valuesOf("messaging.process.duration", "error.type");
    expect(errors).toHaveLength(51);
    expect(errors).toContain("_OTHER");
    expect(valuesOf("messaging.client.consumed.messages", "messaging.destination.name")).toContain("_OTHER");
  });
});
