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

const manyCallers = 50;

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
      await drain(open, { ...settings, jobs: warmUp }, "recommended", 1);
      await fill(open, settings.backlog, 1);
      return await drain(open, settings, "recommended", 1);
    }),
  };
}

function cpuOfServers({ needs }: Contender, servers: Servers): number | undefined {
  const [need] = needs;
  return need === undefined ? undefined : cpuOf(placeOf(servers, need));
}

async function measureEnqueues(open: Measured, { jobs, warmUp, limitSeconds }: Settings) {
  const { serverCpu, enqueue, enqueueMany } = open;
  const load = loadOf(1);
  const hundred = Array.from({ length: 100 }, () => load);
  /** @param each how many jobs a call enqueues */
  const measured = async (each: number, callers: number, call: () => Promise<unknown>) => {
    const calls = (count: number) => callUntil({ calls: Math.ceil(count / each), callers, limitSeconds }, call);
    await calls(warmUp);
    let done = 0;
    const figure = await measure(1, serverCpu, async () => {
      done = await calls(jobs);
    });
    return scale(figure, done * each);
  };
  return {
    enqueueOne: await measured(1, 1, () => enqueue(load)),
    enqueueConcurrently: await measured(1, manyCallers, () => enqueue(load)),
    enqueueHundred: enqueueMany && (await measured(100, 1, () => enqueueMany(hundred))),
  };
}

interface Calls {
  readonly calls: number;
  readonly callers: number;
  readonly limitSeconds: number;
}

/** Each caller calls again and again, until so many calls are made or the time is over. Returns how many were made. */
async function callUntil({ calls, callers, limitSeconds }: Calls, call: () => Promise<unknown>): Promise<number> {
  const endsAt = performance.now() + limitSeconds * 1_000;
  let made = 0;
  const caller = async (): Promise<void> => {
    while (made < calls && performance.now() < endsAt) {
      made += 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return made;
}

async function drainTwice(open: Measured, settings: Settings, pace: Pace, steps: number): Promise<Figure> {
  const { jobs, warmUp } = settings;
  await fill(open, warmUp, steps);
  await drain(open, { ...settings, jobs: warmUp }, pace, steps);
  // A warm-up that was cut off has left some.
  await fill(open, jobs - (await open.unsettled()), steps);
  return await drain(open, settings, pace, steps);
}

/**
 * From the worker's start until so many chains have run their last handler and, unless more wait, none is open in the store;
 * or until the time is over, for what was done by then: three handlers are a chain of three steps.
 */
async function drain(open: Measured, settings: Settings, pace: Pace, steps: number): Promise<Figure> {
  const waiting = (await open.unsettled()) - settings.jobs;
  let [ran, ended] = [0, 0];
  let limit: NodeJS.Timeout | undefined;
  const figure = await measure(1, open.serverCpu, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    limit = setTimeout(resolve, settings.limitSeconds * 1_000);
    const worker = await open.startWorker(pace, ({ stepsLeft }) => {
      ran += 1;
      if (stepsLeft === 0) ended += 1;
      if (ended >= settings.jobs) resolve();
    });
    await promise;
    clearTimeout(limit);
    if (waiting <= 0 && ended >= settings.jobs) await settled(open);
    await worker.stop();
  });
  if (ended > settings.jobs && waiting <= 0) throw new Error(`${ended - settings.jobs} jobs ran twice`);
  return scale(figure, ran / steps);
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
