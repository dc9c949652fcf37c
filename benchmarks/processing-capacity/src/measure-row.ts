import type { StateAdapter } from "chainwright";
import { measure, percentile, type Figure, type Latency, type Servers } from "@chainwright/bench-measuring";
import { measureFloor, type FloorFigures } from "./measure-floor.ts";
import type { OpenRow, Row } from "./row.ts";
import type { Point, Settings } from "./settings.ts";
import { countTraffic, type Traffic } from "./traffic.ts";
import { createWorkload, type Kind, type Workload } from "./workload.ts";

/** Everything measured of one row in one run. */
export interface RowFigures {
  readonly name: string;
  readonly point: Point;
  readonly startSingle: Figure;
  readonly startConcurrent: Figure;
  readonly startBatched: Figure;
  readonly value: Figure;
  readonly atomic: Figure;
  readonly staged: Figure;
  readonly latency: Latency;
  /** Undefined without a broker. */
  readonly traffic: Traffic | undefined;
  readonly floor: FloorFigures;
}

/** What a row is measured under. */
export interface Conditions {
  readonly settings: Settings;
  readonly point: Point;
  readonly servers: Servers;
}

const concurrentCallers = 50;
const latencySamples = { full: 100, smoke: 10 };

/** Opens a fresh store for each figure, so that none is measured on what another left behind. */
export async function measureRow(
  row: Row,
  conditions: Conditions,
  progress: (step: string) => void,
): Promise<RowFigures> {
  const { settings, point, servers } = conditions;
  const { chains } = settings;
  const on = async <T>(step: string, work: (open: OpenRow, workload: Workload) => Promise<T>): Promise<T> => {
    progress(step);
    const open = await row.open(settings, servers);
    const workload = createWorkload(open, { ...settings, ...point });
    if (point.backlog > 0) await workload.startBatched("idle", point.backlog);
    try {
      return await work(open, workload);
    } finally {
      await workload.close();
      await open.close();
    }
  };
  const starting = (step: string, start: (workload: Workload) => Promise<void>) =>
    on(step, async (open, workload) => {
      await warmUp(workload);
      return await measure(chains, open.serverCpu, () => start(workload));
    });
  return {
    name: row.name,
    point,
    floor: await on("floor", (open, workload) => measureFloor(open, JSON.stringify(workload.input), chains)),
    startSingle: await starting("start single", (workload) => workload.startSingle("value", chains)),
    startConcurrent: await starting("start concurrent", (workload) =>
      workload.startConcurrent("value", chains, concurrentCallers),
    ),
    startBatched: await starting("start batched", (workload) => workload.startBatched("value", chains)),
    value: await on("process value", (open, workload) => drain(open, workload, "value", conditions)),
    atomic: await on("process atomic", (open, workload) => drain(open, workload, "atomic", conditions)),
    staged: await on("process staged", (open, workload) => drain(open, workload, "staged", conditions)),
    latency: await on("latency", (_, workload) =>
      measureLatency(workload, settings.smoke ? latencySamples.smoke : latencySamples.full),
    ),
    traffic: await on("traffic", (open) => countTraffic(open, { ...settings, ...point })),
  };
}

/** Code that has run for the first time is not what a service runs on. */
async function warmUp(workload: Workload): Promise<void> {
  await workload.startSingle("idle", 100);
  await workload.startBatched("idle", 200);
}

/** The jobs are there before the worker starts; the clock runs from the worker's start to the last chain's end. */
async function drain(open: OpenRow, workload: Workload, kind: Kind, { settings, point }: Conditions): Promise<Figure> {
  const run = async (count: number): Promise<Figure> => {
    await workload.startBatched(kind, count);
    const ended = endOf(workload, count);
    const workers = Array.from({ length: point.workers }, () => workload.createWorker());
    const figure = await measure(count * point.steps, open.serverCpu, async () => {
      await Promise.all(workers.map((worker) => worker.start()));
      await ended;
      await Promise.all(workers.map((worker) => worker.stop()));
    });
    await assertAllCompleted(open.stateAdapter, kind);
    return figure;
  };
  // Once over, so that what is measured is compiled code.
  await run(settings.chains);
  return await run(settings.chains);
}

function endOf(workload: Workload, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    workload.onEnd = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
}

/** A rate of work that was not done would be no rate. */
async function assertAllCompleted(stateAdapter: StateAdapter, kind: Kind): Promise<void> {
  const open = (await stateAdapter.count({})).filter(
    (row) => row.typeName === kind && row.status !== "completed" && row.count > 0,
  );
  if (open.length > 0) throw new Error(`not every job of "${kind}" completed: ${JSON.stringify(open)}`);
}

/** From before the start to the handler, one chain at a time, with a worker that has nothing else to do. */
async function measureLatency(workload: Workload, samples: number): Promise<Latency> {
  const latencies: number[] = [];
  const worker = workload.createWorker();
  await worker.start();
  for (let sample = 0; sample < samples + 5; sample += 1) {
    const begun = new Promise<number>((resolve) => (workload.onBegin = () => resolve(performance.now())));
    const ended = endOf(workload, 1);
    await workload.startSingle("value", 1);
    const committedAt = performance.now();
    const latencyMs = Math.max(0, (await begun) - committedAt);
    await ended;
    // Long enough for the worker to have gone to rest.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (sample >= 5) latencies.push(latencyMs);
  }
  await worker.stop();
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
