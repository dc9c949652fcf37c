import { createErasedClient } from "../../../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { isChainwrightError } from "../../../src/model/error.ts";
import { openJobStatuses } from "../../../src/model/status.ts";
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
import { count, createSagaLedger, processorsOf, type SagaLedger } from "./saga-ledger.ts";
import { judgeSagas } from "./saga-oracle.ts";

const noFaults = { failBefore: 0, replyLost: 0, delay: 0, die: 0, choke: 0, busy: 0 };
const noBroker = { lost: 0, doubled: 0, late: 0, junk: 0 };
const faults = { failBefore: 20, replyLost: 20, delay: 60, die: 4, choke: 5, busy: 20 };
const broker = { lost: 250, doubled: 50, late: 150, junk: 20 };
const [actingMs, restingMs, mostSteps] = [10_000, 240_000, 60_000];
const [workers, actions] = [4, 60];

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How many chains ended in which way, and how many steps were undone. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Four workers over sagas of 2 to 6 steps, with faults at every call; then nothing goes wrong any more, and all chains have to end. */
export async function simulateSagas(seed: number): Promise<Report> {
  const world = createSagaWorld(seed);
  const { scheduler, store, watch, weather, lives, ledger } = world;
  for (let n = 0; n < actions; n += 1) world.driver.setTimer(() => void act(world), world.below(actingMs));
  let steps = await runFor(scheduler, actingMs);
  Object.assign(weather, { faults: noFaults, broker: noBroker });
  spawn(world);
  for (let passed = 0; passed < restingMs && (await openJobs(store)).length > 0; passed += 1_000)
    steps += await runFor(scheduler, 1_000);
  if ((await openJobs(store)).length > 0) watch.violations.push("N1: jobs are left over");
  if (steps >= mostSteps) watch.violations.push(`it took ${steps} steps: something spins`);
  watch.violations.push(...(await judgeSagas(store, ledger)));
  for (const life of lives) life.die();
  await flush();
  return { violations: watch.violations, faults: watch.faults, counts: ledger.counts };
}

type SagaWorld = ReturnType<typeof createSagaWorld>;

function createSagaWorld(seed: number) {
  const streams = createStreams(seed);
  const random = streams(0);
  const below = (most: number) => Math.floor(random() * most);
  const scheduler = createScheduler(streams(1));
  const watch = createWatch(scheduler.now, false);
  const store = createInProcessStateAdapter({ clock: { now: scheduler.now } });
  const ledger: SagaLedger = createSagaLedger();
  const processes: { readonly life: Life; readonly client: SimulatedClient }[] = [];
  const lives: Life[] = [];
  const driver = scheduler.clock(0, () => 0);
  const weather = { faults, broker };
  return { streams, below, scheduler, watch, store, ledger, processes, lives, weather, driver, broker: createBroker() };
}

/** A process with a client and a worker. */
function spawn(world: SagaWorld): { readonly life: Life; readonly client: SimulatedClient } {
  const { below, watch, weather, lives, ledger } = world;
  const life = createLife(world.scheduler, below(3) * 60_000, world.streams(2 + lives.length));
  lives.push(life);
  const { client, engine } = createErasedClient({
    stateAdapter: faultyState(world.store, life, () => weather.faults, watch),
    notifyAdapter: faultyBroker(world.broker, life, () => weather.broker, below(4) > 0),
    jobTypes: { definitions: undefined },
    clock: life.clock,
    observers: [],
  });
  const processors = createErasedProcessors({
    client,
    jobTypes: {},
    processors: processorsOf(life, ledger),
    middleware: [],
  });
  const known = { hasNotifyAdapter: true, fewestAttempts: 60 };
  const sizes = { concurrency: 1 + below(6), prefetch: below(3) };
  const options = checkWorkerOptions({ ...sizes, leaseMs: 2_000, pollIntervalMs: 1_000 }, known);
  void assembleWorker(engine, mergeProcessors([processors]), options).start();
  const process = { life, client };
  world.processes.push(process);
  return process;
}

type Action = (world: SagaWorld, process: ReturnType<typeof spawn>) => Promise<unknown>;

const start: Action = async ({ below, ledger }, { client }) => {
  const steps = 2 + below(5);
  const input = { steps, at: 1, failsAt: Math.max(0, below(2 * steps) - steps + 1), handlerMs: 10 * below(30) };
  const deadline = below(4) === 0 ? { afterMs: below(4_000) } : undefined;
  await client.startChain({ typeName: "saga", input, whenStopped: "sorry", deadline });
  count(ledger, deadline === undefined ? "started" : "started with a deadline");
};

const retry: Action = async (world, { client }) => {
  const id = await someSaga(world);
  if (id === undefined) return;
  await client.retryChains({ items: [{ id }] });
  count(world.ledger, "retried");
};

const cancel: Action = async (world, { client }) => {
  const id = await someSaga(world);
  if (id !== undefined) await client.cancelChains({ items: [{ id }] });
};

const die: Action = async (_, { life }) => {
  life.die();
};

const allActions: readonly Action[] = [start, start, cancel, cancel, retry, die];

async function someSaga({ store, below }: SagaWorld): Promise<string | undefined> {
  const chains = await store.listChains({ ...allRows, statuses: undefined }, {});
  const sagas = chains.filter(({ typeName }) => typeName === "saga");
  return sagas[below(sagas.length)]?.id;
}

async function act(world: SagaWorld): Promise<void> {
  const { below, watch } = world;
  const living = world.processes.filter(({ life }) => !life.isDead());
  while (living.length < workers) living.push(spawn(world));
  const process = living[below(living.length)] ?? spawn(world);
  try {
    await (allActions[below(allActions.length)] ?? start)(world, process);
  } catch (error) {
    if (!isChainwrightError(error) && !process.life.isDead()) watch.violations.push(String(error));
  }
}

async function openJobs(store: StateAdapter) {
  return await store.listJobs({ ...allRows, statuses: openJobStatuses }, {});
}

async function runFor(scheduler: Scheduler, forMs: number): Promise<number> {
  const until = scheduler.now() + forMs;
  let steps = 0;
  while (scheduler.now() < until && steps < mostSteps && (await scheduler.step())) steps += 1;
  return steps;
}
