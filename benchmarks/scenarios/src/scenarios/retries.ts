import { delay, measure, now, percentile } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes, type StateAdapter } from "chainwright";
import type { Scenario } from "../scenario.ts";
import { onStore, stores } from "../store.ts";
import { startSteadily } from "../start-steadily.ts";

const jobTypes = defineJobTypes<{
  failing: { entry: true; input: { text: string }; output: { done: true } };
  steady: { entry: true; input: { at: number }; output: { done: true } };
}>();

const attempts = 5;
const retry = { maxAttempts: attempts, backoff: { initialMs: 200, multiplier: 2, jitter: 0.2 } };
const perSecond = 50;
const quietSeconds = { full: 4, smoke: 1 };

/** What attempts that fail cost, and what jobs of another type feel of them. */
export const retries: Scenario = {
  name: "retries",
  title: "A storm of retries",
  note: `Jobs that are all started at once, fail at each of ${attempts} attempts, and are retried after 0.2 s, 0.4 s and so on. Meanwhile ${perSecond} jobs a second of another type are started for the same worker. "Quiet" is their latency before the storm.`,
  columns: [
    { name: "us of CPU per attempt", keys: ["client", "server"], digits: 0 },
    { name: "of it the server", keys: ["server"], digits: 0 },
    { name: "quiet p50, ms", keys: ["quietP50"], digits: 1 },
    { name: "quiet p99", keys: ["quietP99"], digits: 1 },
    { name: "in the storm p50", keys: ["stormP50"], digits: 1 },
    { name: "in the storm p99", keys: ["stormP99"], digits: 1 },
  ],
  rows: stores,
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async ({ adapters, serverCpu }) => {
      const client = createClient({ ...adapters, jobTypes });
      const count = settings.failingJobs;
      let [failed, latencies]: [number, number[]] = [0, []];
      const processors = createProcessors({
        client,
        jobTypes,
        processors: {
          failing: {
            retry,
            handler: async () => {
              failed += 1;
              throw new Error("as planned");
            },
          },
          steady: async ({ job }) => {
            latencies.push(now() - job.input.at);
            return { done: true };
          },
        },
      });
      const worker = createWorker({ client, processors: [processors] });
      await worker.start();
      const steadily = (until: () => boolean) =>
        startSteadily(perSecond, until, () => client.startChain({ typeName: "steady", input: { at: now() } }));
      const percentiles = () => [percentile(latencies, 0.5), percentile(latencies, 0.99)] as const;
      progress("quiet");
      const quietUntil = now() + (settings.smoke ? quietSeconds.smoke : quietSeconds.full) * 1_000;
      await steadily(() => now() > quietUntil);
      const [quietP50, quietP99] = percentiles();
      latencies = [];
      progress("storm");
      const items = Array.from({ length: count }, () => ({ typeName: "failing", input: { text: "x" } }) as const);
      const figure = await measure(count * attempts, serverCpu, async () => {
        for (let from = 0; from < count; from += 500)
          await client.startChains({ items: items.slice(from, from + 500) });
        await steadily(() => failed >= count * attempts);
        await untilFailed(adapters.stateAdapter, count);
      });
      const [stormP50, stormP99] = percentiles();
      await worker.stop();
      await client.close();
      if (failed > count * attempts) throw new Error(`${failed - count * attempts} attempts were one too many`);
      const { cpuMicros: client_, serverCpuMicros: server } = figure;
      return { client: client_, ...(server !== undefined && { server }), quietP50, quietP99, stormP50, stormP99 };
    }),
};

async function untilFailed(stateAdapter: StateAdapter, count: number): Promise<void> {
  for (;;) {
    const rows = await stateAdapter.count({});
    if (rows.some((row) => row.typeName === "failing" && row.status === "failed" && row.count === count)) return;
    await delay(20);
  }
}
