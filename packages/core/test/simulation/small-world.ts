import { createErasedClient } from "../../src/client/erased-client.ts";
import { isChainwrightError } from "../../src/model/error.ts";
import type { DefinedLimit } from "../../src/model/limit.ts";
import { openJobStatuses } from "../../src/model/status.ts";
import type { JobRecord } from "../../src/model/record.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createErasedProcessors } from "../../src/worker/erased-processors.ts";
import { mergeProcessors, type ErasedDefinition } from "../../src/worker/processor.ts";
import { assembleWorker, type Worker } from "../../src/worker/worker.ts";
import { checkWorkerOptions } from "../../src/worker/worker-options.ts";
import { allRows } from "./all-rows.ts";
import { createBroker, faultyBroker } from "./faulty-broker.ts";
import { faultyState } from "./faulty-state.ts";
import { createLife, type Life } from "./life.ts";
import { createStreams } from "./random-streams.ts";
import type { FaultRates } from "./scenario.ts";
import { createScheduler, flush } from "./scheduler.ts";
import { createWatch } from "./watch.ts";
import { noBroker, noFaults, type SimulatedClient } from "./world.ts";

/** A random whole number from 0 to below `most`. */
export type Below = (most: number) => number;

/** Ends a transaction that is to roll back. */
export class Rollback extends Error {}

export interface SmallProcess {
  readonly life: Life;
  readonly client: SimulatedClient;
  readonly worker: Worker;
}

/** Who works in a small world, and on what. */
export interface Settlers {
  readonly store: StateAdapter;
  /** How many processes live at least when an action begins. */
  readonly fewest: number;
  readonly faults: FaultRates;
  /** The longest that the world may be busy, in steps of its scheduler. */
  readonly mostSteps: number;
  readonly skewMs: (below: Below) => number;
  readonly worker: (below: Below) => object;
  readonly processorsOf: (life: Life, client: SimulatedClient) => Readonly<Record<string, ErasedDefinition>>;
  /** What a process has instead of `store`: a view of it that knows who calls. */
  readonly storeOf?: (life: Life) => StateAdapter;
  readonly limits?: readonly { readonly limits: readonly DefinedLimit[] }[];
}

/** Faults at every call of a store, a thousandth each. */
export const roughFaults: FaultRates = { failBefore: 20, replyLost: 20, delay: 60, die: 4, choke: 5, busy: 20 };
const roughBroker = { lost: 250, doubled: 50, late: 150, junk: 20 };

/** Settlers whose clocks are minutes wrong, and whose workers look often and lose their leases soon. */
export const busySettlers = {
  faults: roughFaults,
  skewMs: (below: Below) => below(3) * 60_000,
  worker: (below: Below) => ({
    concurrency: 1 + below(6),
    prefetch: below(3),
    leaseMs: 2_000,
    pollIntervalMs: 1_000,
  }),
};

/** Time and chance, before there is a store. */
export type Ground = ReturnType<typeof createGround>;

export function createGround(seed: number) {
  const streams = createStreams(seed);
  const random = streams(0);
  const below: Below = (most) => Math.floor(random() * most);
  const scheduler = createScheduler(streams(1));
  const watch = createWatch(scheduler.now, false);
  let jumpedMs = 0;
  return {
    seed,
    streams,
    below,
    scheduler,
    watch,
    driver: scheduler.clock(0, () => 0),
    /** The clock of the store. */
    now: () => scheduler.now() + jumpedMs,
    jump(ms: number): void {
      jumpedMs += ms;
    },
  };
}

/** A store with the processes around it, at whose calls things go wrong until `heal`. */
export type SmallWorld = ReturnType<typeof settle>;

export function settle(ground: Ground, settlers: Settlers) {
  const { below, scheduler, watch, streams } = ground;
  const { store, mostSteps } = settlers;
  const processes: SmallProcess[] = [];
  const broker = createBroker();
  const weather = { faults: settlers.faults, broker: roughBroker };
  let lives = 0;
  let steps = 0;
  const assemble = (stateAdapter: (life: Life) => StateAdapter, skewMs: number) => {
    const life = createLife(scheduler, skewMs, streams(2 + lives));
    lives += 1;
    const assembled = createErasedClient({
      stateAdapter: stateAdapter(life),
      notifyAdapter: faultyBroker(broker, life, () => weather.broker, below(4) > 0),
      jobTypes: { definitions: undefined },
      limits: settlers.limits,
      clock: life.clock,
      observers: [],
    });
    return { ...assembled, life };
  };
  return {
    ...ground,
    store,
    processes,
    mostSteps,
    /** A client at whose calls nothing goes wrong. */
    bystander: (): SimulatedClient => assemble(() => store, 0).client,
    /** A process with a client and a worker. */
    spawn(): SmallProcess {
      const storeOf = settlers.storeOf ?? (() => store);
      const faulty = (life: Life) => faultyState(storeOf(life), life, () => weather.faults, watch);
      const { life, client, engine } = assemble(faulty, settlers.skewMs(below));
      const own = settlers.processorsOf(life, client);
      const processors = createErasedProcessors({ client, jobTypes: {}, processors: own, middleware: [] });
      const options = checkWorkerOptions(settlers.worker(below), { hasNotifyAdapter: true, fewestAttempts: 60 });
      const worker = assembleWorker(engine, mergeProcessors([processors]), options);
      void worker.start();
      const process = { life, client, worker };
      processes.push(process);
      return process;
    },
    living: (): readonly SmallProcess[] => processes.filter(({ life }) => !life.isDead()),
    /** From now on nothing goes wrong. */
    heal: () => void Object.assign(weather, { faults: noFaults, broker: noBroker }),
    async runFor(forMs: number): Promise<void> {
      const until = scheduler.now() + forMs;
      while (scheduler.now() < until && steps < mostSteps && (await scheduler.step())) steps += 1;
    },
    async end(): Promise<void> {
      if (steps >= mostSteps) watch.violations.push(`it took ${steps} steps: something spins`);
      for (const { life } of processes) life.die();
      await flush();
    },
    fewest: settlers.fewest,
  };
}

/** Lets an action happen `times` times within `forMs`, each in a living process. */
export async function disturb(
  world: SmallWorld,
  { times, forMs }: { readonly times: number; readonly forMs: number },
  action: (process: SmallProcess) => Promise<unknown>,
): Promise<void> {
  for (let n = 0; n < times; n += 1) world.driver.setTimer(() => void act(world, action), world.below(forMs));
  await world.runFor(forMs);
}

async function act(world: SmallWorld, action: (process: SmallProcess) => Promise<unknown>): Promise<void> {
  while (world.living().length < world.fewest) world.spawn();
  const living = world.living();
  const process = living[world.below(living.length)] ?? world.spawn();
  try {
    await action(process);
  } catch (error) {
    if (!isChainwrightError(error) && !(error instanceof Rollback) && !process.life.isDead())
      world.watch.violations.push(String(error));
  }
}

/** Waits until all jobs have ended. If some do not, it is a violation of `rule`. */
export async function rest(
  world: SmallWorld,
  { forMs, rule }: { readonly forMs: number; readonly rule: string },
  each: (jobs: readonly JobRecord[]) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const open = () => world.store.listJobs({ ...allRows, statuses: openJobStatuses }, {});
  let jobs = await open();
  for (let passed = 0; passed < forMs && jobs.length > 0; passed += 1_000) {
    await each(jobs);
    await world.runFor(1_000);
    jobs = await open();
  }
  if (jobs.length > 0) world.watch.violations.push(`${rule}: jobs are left over`);
}
