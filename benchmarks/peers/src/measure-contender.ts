import {
  cpuOf,
  measure,
  percentile,
  placeOf,
  type Figure,
  type Latency,
  type ServerCpu,
  type Servers,
} from "@chainwright/bench-measuring";
import type { Contender, OpenContender, Pace } from "./contender.ts";
import { fill, loadOf } from "./fill.ts";
import type { Settings } from "./settings.ts";

/** Everything measured of one contender in one run. */
export interface ContenderFigures {
  readonly name: string;
  readonly league: Contender["league"];
  readonly enqueueOne: Figure;
  readonly enqueueConcurrently: Figure;
  readonly enqueueHundred: Figure | undefined;
  readonly drainTen: Figure;
  readonly drainHundred: Figure;
  readonly drainRecommended: Figure;
  readonly latency: Latency;
  /** Chains, not jobs. */
  readonly threeSteps: Figure;
  /** With its recommended settings, while so many more jobs wait. */
  readonly withBacklog: Figure;
}

/** A queue and the CPU of its server. */
interface Measured extends OpenContender {
  readonly serverCpu: ServerCpu;
}

const callers = 50;

/** Opens an empty queue for each figure, so that none is measured on what another left behind. */
export async function measureContender(
  contender: Contender,
  settings: Settings,
  servers: Servers,
  progress: (step: string) => void,
): Promise<ContenderFigures> {
  const { jobs, warmUp } = settings;
  const on = async <T>(step: string, work: (open: Measured) => Promise<T>): Promise<T> => {
    progress(step);
    const place = await contender.create(servers);
    const open = await contender.join(servers, place);
    try {
      return await work({ ...open, serverCpu: () => cpuOfServers(contender, servers) });
    } finally {
      await open.close();
      await contender.remove(servers, place);
    }
  };
  const drained = (pace: Pace) => on(`drain, ${pace}`, (open) => drainTwice(open, settings, pace, 1));
  return {
    name: contender.name,
    league: contender.league,
    ...(await on("enqueue", (open) => measureEnqueues(open, settings))),
    drainTen: await drained(10),
    drainHundred: await drained(100),
    drainRecommended: await drained("recommended"),
    latency: await on("latency", (open) => measureLatency(open, settings.smoke ? 1 : 30)),
    threeSteps: await on("chains of three", (open) =>
      drainTwice(open, { ...settings, jobs: Math.ceil(jobs / 3), warmUp: Math.ceil(warmUp / 3) }, "recommended", 3),
    ),
    withBacklog: await on("backlog", async (open) => {
      await fill(open, warmUp, 1);
      await drain(open, { ...settings, jobs: warmUp }, "recommended");
      await fill(open, settings.backlog, 1);
      return await drain(open, settings, "recommended");
    }),
  };
}

function cpuOfServers({ needs }: Contender, servers: Servers): number | undefined {
  const [need] = needs;
  return need === undefined ? undefined : cpuOf(placeOf(servers, need));
}

async function measureEnqueues(open: Measured, { jobs, warmUp }: Settings) {
  const { serverCpu, enqueue, enqueueMany } = open;
  const load = loadOf(1);
  const one = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) await enqueue(load);
  };
  const concurrently = async (count: number): Promise<void> => {
    let left = count;
    const call = async (): Promise<void> => {
      for (; left > 0;) {
        left -= 1;
        await enqueue(load);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
  };
  const hundreds = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 100) await enqueueMany?.(Array.from({ length: 100 }, () => load));
  };
  const few = Math.ceil(jobs / 3);
  await one(Math.ceil(warmUp / 3));
  const enqueueOne = await measure(few, serverCpu, () => one(few));
  await concurrently(warmUp);
  const enqueueConcurrently = await measure(jobs, serverCpu, () => concurrently(jobs));
  await hundreds(warmUp);
  const enqueueHundred = enqueueMany === undefined ? undefined : await measure(jobs, serverCpu, () => hundreds(jobs));
  return { enqueueOne, enqueueConcurrently, enqueueHundred };
}

async function drainTwice(open: Measured, settings: Settings, pace: Pace, steps: number): Promise<Figure> {
  const { jobs, warmUp } = settings;
  await fill(open, warmUp, steps);
  await drain(open, { ...settings, jobs: warmUp }, pace);
  await fill(open, jobs, steps);
  return await drain(open, settings, pace);
}

/**
 * From the worker's start until so many chains have run their last handler and, unless more wait, none is open in the store;
 * or until the time is over, for what was done by then.
 */
async function drain(open: Measured, settings: Settings, pace: Pace): Promise<Figure> {
  const waiting = (await open.unsettled()) - settings.jobs;
  let ended = 0;
  let limit: NodeJS.Timeout | undefined;
  const figure = await measure(1, open.serverCpu, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    limit = setTimeout(resolve, settings.limitSeconds * 1_000);
    const worker = await open.startWorker(pace, ({ stepsLeft }) => {
      if (stepsLeft === 0) ended += 1;
      if (ended >= settings.jobs) resolve();
    });
    await promise;
    clearTimeout(limit);
    if (waiting <= 0 && ended >= settings.jobs) await settled(open);
    await worker.stop();
  });
  if (ended > settings.jobs && waiting <= 0) throw new Error(`${ended - settings.jobs} jobs ran twice`);
  return scale(figure, ended);
}

async function settled(open: OpenContender): Promise<void> {
  while ((await open.unsettled()) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

function scale({ perSecond, cpuMicros, serverCpuMicros }: Figure, count: number): Figure {
  return {
    perSecond: perSecond * count,
    cpuMicros: cpuMicros / count,
    serverCpuMicros: serverCpuMicros === undefined ? undefined : serverCpuMicros / count,
  };
}

/** From the return of the enqueueing call to the handler, one job at a time, on a worker that has nothing else to do. */
async function measureLatency(open: OpenContender, samples: number): Promise<Latency> {
  let begun = (): void => undefined;
  const worker = await open.startWorker(10, () => begun());
  const latencies: number[] = [];
  for (let sample = 0; sample < samples + 3; sample += 1) {
    const handled = new Promise<number>((resolve) => (begun = () => resolve(performance.now())));
    await open.enqueue(loadOf(1));
    const enqueuedAt = performance.now();
    const latency = Math.max(0, (await handled) - enqueuedAt);
    await settled(open);
    // Long enough for the worker to have gone to rest.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (sample >= 3) latencies.push(latency);
  }
  await worker.stop();
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
