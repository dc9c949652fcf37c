import { createErasedClient } from "../../../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { isChainwrightError } from "../../../src/model/error.ts";
import { createErasedProcessors } from "../../../src/worker/erased-processors.ts";
import { mergeProcessors } from "../../../src/worker/processor.ts";
import { assembleWorker } from "../../../src/worker/worker.ts";
import { checkWorkerOptions } from "../../../src/worker/worker-options.ts";
import { allRows } from "../all-rows.ts";
import { createBroker, faultyBroker } from "../faulty-broker.ts";
import { faultyState } from "../faulty-state.ts";
import { createLife, type Life } from "../life.ts";
import { createStreams } from "../random-streams.ts";
import { createScheduler, flush, type Scheduler } from "../scheduler.ts";
import { createWatch } from "../watch.ts";
import type { SimulatedClient } from "../world.ts";
import { actOnSchedules, createAll, Rollback } from "./schedule-actions.ts";
import { watchSchedules } from "./watch-schedules.ts";

const noFaults = { failBefore: 0, replyLost: 0, delay: 0, die: 0, choke: 0, busy: 0 };
const noBroker = { lost: 0, doubled: 0, late: 0, junk: 0 };
const faults = { failBefore: 20, replyLost: 40, delay: 150, die: 10, choke: 5, busy: 20 };
const broker = { lost: 250, doubled: 50, late: 150, junk: 20 };
const [actingMs, restingMs, mostSteps] = [40_000, 12_000, 20_000];
const [workers, actions] = [3, 24];
const hour = 3_600_000;

interface Report {
  readonly violations: readonly string[];
  /** How often each fault struck, and each thing happened. */
  readonly counts: ReadonlyMap<string, number>;
}

interface Process {
  readonly life: Life;
  readonly client: SimulatedClient;
}

/** One to three workers whose clocks are up to an hour wrong, with faults at every call; then nothing goes wrong any more. */
export async function simulateSchedules(seed: number): Promise<Report> {
  const world = createScheduleWorld(seed);
  const { scheduler, watch, weather, processes, below } = world;
  await createAll({ below, client: clientOf(world, createLife(scheduler, 0, world.streams(2))) });
  spawn(world);
  for (let n = 0; n < actions; n += 1) world.driver.setTimer(() => void act(world), below(actingMs));
  let steps = await runFor(scheduler, actingMs);
  Object.assign(weather, { faults: noFaults, broker: noBroker });
  spawn(world);
  steps += await runFor(scheduler, restingMs);
  if (steps >= mostSteps) watch.violations.push(`it took ${steps} steps: something spins`);
  await judge(world);
  for (const { life } of processes) life.die();
  await flush();
  return { violations: watch.violations, counts: new Map([...watch.faults, ...world.watched.counts]) };
}

type ScheduleWorld = ReturnType<typeof createScheduleWorld>;

function createScheduleWorld(seed: number) {
  const streams = createStreams(seed);
  const random = streams(0);
  const below = (most: number) => Math.floor(random() * most);
  const scheduler = createScheduler(streams(1));
  const watch = createWatch(scheduler.now, false);
  const jumped = { ms: 0 };
  const now = () => scheduler.now() + jumped.ms;
  const watching = watchSchedules(createInProcessStateAdapter({ clock: { now } }), now, watch.violations);
  const processes: Process[] = [];
  const driver = scheduler.clock(0, () => 0);
  const weather = { faults, broker };
  return {
    ...watching,
    seed,
    streams,
    below,
    scheduler,
    watch,
    jumped,
    now,
    processes,
    driver,
    weather,
    broker: createBroker(),
  };
}

function clientOf(world: ScheduleWorld, life: Life): SimulatedClient {
  return assemble(world, life, world.store).client;
}

function assemble({ broker: hub, weather, below }: ScheduleWorld, life: Life, stateAdapter: ScheduleWorld["store"]) {
  return createErasedClient({
    stateAdapter,
    notifyAdapter: faultyBroker(hub, life, () => weather.broker, below(4) > 0),
    jobTypes: { definitions: undefined },
    clock: life.clock,
    observers: [],
  });
}

/** A process with a client and a worker. */
function spawn(world: ScheduleWorld): Process {
  const { below, scheduler, watch, weather, processes } = world;
  const life = createLife(scheduler, (below(3) - 1) * hour, world.streams(3 + processes.length));
  const { client, engine } = assemble(
    world,
    life,
    faultyState(world.store, life, () => weather.faults, watch),
  );
  const wait = (ms: number) => new Promise<void>((resolve) => void life.clock.setTimer(resolve, ms));
  const work = {
    handler: async () => {
      await wait(below(8_000));
      return null;
    },
  };
  const processors = createErasedProcessors({ client, jobTypes: {}, processors: { work }, middleware: [] });
  const options = checkWorkerOptions(
    { concurrency: 20, leaseMs: 20_000, pollIntervalMs: 5_000 },
    { hasNotifyAdapter: true, fewestAttempts: 60 },
  );
  void assembleWorker(engine, mergeProcessors([processors]), options).start();
  const process = { life, client };
  processes.push(process);
  return process;
}

async function act(world: ScheduleWorld): Promise<void> {
  const { below, jumped, watch, now } = world;
  const living = () => world.processes.filter(({ life }) => !life.isDead());
  while (living().length < 1 + (world.seed % workers)) spawn(world);
  const one = living()[below(living().length)] ?? spawn(world);
  const kill = (kind: "one" | "all"): void => (kind === "one" ? [one] : living()).forEach(({ life }) => life.die());
  const wait = (ms: number) => new Promise<void>((resolve) => void one.life.clock.setTimer(resolve, ms));
  const jump = (ms: number): void => {
    jumped.ms += ms;
  };
  try {
    await actOnSchedules({ below, client: one.client, now, wait, kill, jump });
  } catch (error) {
    if (!isChainwrightError(error) && !(error instanceof Rollback) && !one.life.isDead())
      watch.violations.push(String(error));
  }
}

/** What the store has in the end is what the calls have written. */
async function judge({ store, watched, watch, now }: ScheduleWorld): Promise<void> {
  const { schedules } = await store.listSchedules({ after: undefined, limit: 100, order: "ascending" }, {});
  const found = schedules.map(({ id, nextAt, missedCount }) => `${id} ${nextAt} ${missedCount}`);
  const expected = [...watched.schedules].map(([id, { nextAt, missedCount }]) => `${id} ${nextAt} ${missedCount}`);
  if (found.join() !== expected.toSorted().join())
    watch.violations.push(`B2: the store has ${found.join()}, the calls wrote ${expected.join()}`);
  for (const { id, nextAt, pausedAt } of schedules) {
    if (pausedAt === undefined && nextAt !== undefined && nextAt < now() - 1_500)
      watch.violations.push(`B3: ${id} waits for a worker since ${nextAt}, and it is ${now()}`);
  }
  const jobs = await store.listJobs(
    { ...allRows, statuses: ["blocked", "scheduled", "ready", "running", "completed"] },
    {},
  );
  const chains = new Set(jobs.map(({ chainId }) => chainId));
  for (const [tick, chainId] of watched.chains)
    if (!chains.has(chainId)) watch.violations.push(`B2: ${tick} has no chain ${chainId}`);
}

async function runFor(scheduler: Scheduler, forMs: number): Promise<number> {
  const until = scheduler.now() + forMs;
  let steps = 0;
  while (scheduler.now() < until && steps < mostSteps && (await scheduler.step())) steps += 1;
  return steps;
}
