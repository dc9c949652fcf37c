import { now, startChild } from "@chainwright/bench-measuring";
import type { Scenario } from "../scenario.ts";
import { startSteadily } from "../start-steadily.ts";
import {
  createSteadyClient,
  createSteadyWorker,
  type SteadyClient,
  type SteadyFigures,
  type SteadyRequest,
} from "../steady-worker.ts";
import { onStore, stores, type OpenStore } from "../store.ts";

const workerProcess = new URL("../steady-process.ts", import.meta.url);
const startPerSecond = 1_000;
const warmUpSeconds = { full: 5, smoke: 1 };

/** The worker, wherever it is. */
interface RunningWorker {
  stop(): Promise<SteadyFigures>;
}

/** From the call of a start to the handler, at a load that a service may have. */
export const steady: Scenario = {
  name: "steady",
  title: "A steady load",
  note: `${startPerSecond.toLocaleString("en")} starts a second, single and without waiting for each other, for a worker in another process: from the call of a start to its handler. SQLite has no notify adapter here, so its worker finds the jobs of another process by looking, once a second. "Latest call": how far the starting process was behind at most.`,
  columns: [
    { name: "p50, ms", keys: ["p50"], digits: 1 },
    { name: "p99", keys: ["p99"], digits: 1 },
    { name: "p99.9", keys: ["p999"], digits: 1 },
    { name: "slowest", keys: ["slowest"], digits: 1 },
    { name: "latest call, ms", keys: ["latestCall"], digits: 1 },
  ],
  rows: stores.flatMap(({ name, needs }) =>
    name === "in-process"
      ? [{ name: `${name}, worker in the same process`, needs }]
      : [
          { name: `${name}, worker in the same process`, needs },
          { name: `${name}, worker in another process`, needs },
        ],
  ),
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async (open, place) => {
      const client = createSteadyClient(open);
      const worker = row.endsWith("another process")
        ? await startProcess({ row, servers, place })
        : await startHere(client);
      const run = (seconds: number, isMeasured: boolean): Promise<number> => {
        const until = now() + seconds * 1_000;
        return startSteadily(
          startPerSecond,
          () => now() >= until,
          () => client.startChain({ typeName: "steady", input: { at: now(), isMeasured } }),
        );
      };
      progress("warm-up");
      await run(settings.smoke ? warmUpSeconds.smoke : warmUpSeconds.full, false);
      progress(`${settings.steadySeconds} s`);
      const latestCall = await run(settings.steadySeconds, true);
      await untilSettled(open);
      const figures = await worker.stop();
      await client.close();
      return { ...figures, latestCall };
    }),
};

async function startHere(client: SteadyClient): Promise<RunningWorker> {
  const worker = createSteadyWorker(client);
  await worker.start();
  return worker;
}

async function startProcess(request: SteadyRequest): Promise<RunningWorker> {
  const ready = Promise.withResolvers<void>();
  const { figures, tell } = startChild<SteadyFigures>(workerProcess, request, () => ready.resolve());
  await Promise.race([ready.promise, figures]);
  return {
    stop() {
      tell("stop");
      return figures;
    },
  };
}

async function untilSettled({ adapters }: OpenStore): Promise<void> {
  const open = async (): Promise<boolean> =>
    (await adapters.stateAdapter.count({})).some(({ status, count }) => status !== "completed" && count > 0);
  while (await open()) await new Promise((resolve) => setTimeout(resolve, 20));
}
