import { createErasedClient } from "../../../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { isChainwrightError } from "../../../src/model/error.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
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
import { actOnLimits, Rollback } from "./limit-actions.ts";
import { definitions, processorsOf, resumeAll } from "./limit-settings.ts";
import { watchLimits } from "./watch-limits.ts";

const noFaults = { failBefore: 0, replyLost: 0, delay: 0, die: 0, choke: 0, busy: 0 };
const noBroker = { lost: 0, doubled: 0, late: 0, junk: 0 };
const faults = { failBefore: 20, replyLost: 20, delay: 60, die: 4, choke: 5, busy: 20 };
const broker = { lost: 250, doubled: 50, late: 150, junk: 20 };
const [actingMs, restingMs, mostSteps] = [10_000, 240_000, 40_000];
const [workers, actions] = [5, 40];

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How often breakers have opened and closed, and how many jobs began as probes. */
  readonly breakers: Readonly<Record<"opened" | "closed" | "probes", number>>;
}

/** Five workers over twenty keys, with faults at every call; then nothing goes wrong any more, and all jobs have to end. */
export async function simulateLimits(seed: number): Promise<Report> {
  const world = createLimitWorld(seed);
  const { scheduler, store, watch, weather, lives } = world;
  for (let n = 0; n < actions; n += 1) world.driver.setTimer(() => void act(world), world.below(actingMs));
  let steps = await runFor(scheduler, actingMs);
  Object.assign(weather, { faults: noFaults, broker: noBroker });
  await store.changeLimits(resumeAll(), {});
  spawn(world);
  for (let passed = 0; passed < restingMs && (await hasOpenJobs(store)); passed += 1_000)
    steps += await runFor(scheduler, 1_000);
  if (await hasOpenJobs(store)) watch.violations.push("C4: jobs are left over");
  if (steps >= mostSteps) watch.violations.push(`it took ${steps} steps: something spins`);
  const page = { check: "leases", after: undefined, limit: 100_000, heldBeforeMs: 0, timeMs: 1_000 } as const;
  const places = (await store.inspect(page, {})).faults.filter(({ kind }) => kind.includes("place"));
  watch.violations.push(...places.map((fault) => `C3: ${JSON.stringify(fault)}`));
  for (const life of lives) life.die();
  await flush();
  return { violations: watch.violations, faults: watch.faults, breakers: world.breakers };
}

type LimitWorld = ReturnType<typeof createLimitWorld>;

function createLimitWorld(seed: number) {
  const streams = createStreams(seed);
  const random = streams(0);
  const below = (most: number) => Math.floor(random() * most);
  const scheduler = createScheduler(streams(1));
  const watch = createWatch(scheduler.now, false);
  const jumped = { ms: 0 };
  const now = () => scheduler.now() + jumped.ms;
  const { store, breakers } = watchLimits(createInProcessStateAdapter({ clock: { now } }), now, watch.violations);
  const processes: { readonly life: Life; readonly client: SimulatedClient }[] = [];
  const lives: Life[] = [];
  const weather = { faults, broker };
  const limits = [{ limits: definitions(below) }];
  const driver = scheduler.clock(0, () => 0);
  return {
    streams,
    below,
    scheduler,
    watch,
    jumped,
    store,
    breakers,
    processes,
    lives,
    weather,
    limits,
    driver,
    broker: createBroker(),
  };
}

/** A process with a client and a worker. */
function spawn(world: LimitWorld): { readonly life: Life; readonly client: SimulatedClient } {
  const { below, watch, weather, lives } = world;
  const life = createLife(world.scheduler, below(3) * 60_000, world.streams(2 + lives.length));
  lives.push(life);
  const { client, engine } = createErasedClient({
    stateAdapter: faultyState(world.store, life, () => weather.faults, watch),
    notifyAdapter: faultyBroker(world.broker, life, () => weather.broker, below(4) > 0),
    jobTypes: { definitions: undefined },
    limits: world.limits,
    clock: life.clock,
    observers: [],
  });
  const processors = createErasedProcessors({ client, jobTypes: {}, processors: processorsOf(life), middleware: [] });
  const known = { hasNotifyAdapter: true, fewestAttempts: 60 };
  const sizes = { concurrency: 1 + below(6), prefetch: below(3) };
  const options = checkWorkerOptions({ ...sizes, leaseMs: 2_000, pollIntervalMs: 1_000 }, known);
  void assembleWorker(engine, mergeProcessors([processors]), options).start();
  const process = { life, client };
  world.processes.push(process);
  return process;
}

async function act(world: LimitWorld): Promise<void> {
  const { below, store, jumped, watch } = world;
  const living = world.processes.filter(({ life }) => !life.isDead());
  while (living.length < workers) living.push(spawn(world));
  const { client, life } = living[below(living.length)] ?? spawn(world);
  const jump = (ms: number): void => {
    jumped.ms += ms;
  };
  try {
    await actOnLimits({ below, client, life, store, jump });
  } catch (error) {
    if (!isChainwrightError(error) && !(error instanceof Rollback) && !life.isDead())
      watch.violations.push(String(error));
  }
}

async function hasOpenJobs(store: StateAdapter): Promise<boolean> {
  const statuses = ["blocked", "scheduled", "ready", "running"] as const;
  return (await store.listJobs({ ...allRows, statuses }, {})).length > 0;
}

async function runFor(scheduler: Scheduler, forMs: number): Promise<number> {
  const until = scheduler.now() + forMs;
  let steps = 0;
  while (scheduler.now() < until && steps < mostSteps && (await scheduler.step())) steps += 1;
  return steps;
}
