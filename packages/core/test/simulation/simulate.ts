import { act } from "./act.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { findRivals, findViolations } from "./oracle.ts";
import { anyJob, type ProcessSpec, type Scenario } from "./scenario.ts";
import { flush } from "./scheduler.ts";
import { createWorld, type SimulatedProcess, type World } from "./world.ts";

/** What became of one simulated run. */
export interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** What happened, one line each, where it was asked for. */
  readonly history: readonly string[];
  readonly steps: number;
  readonly chains: number;
}

const mostSteps = 20_000;
/**
 * How long clients act, how long a healed world may take to come to rest, and how long its waits may take to end. A job that could not
 * be read waits a minute.
 */
const actingMs = 15_000;
const restingMs = 120_000;
const tellingMs = 10_000;
const lookEveryMs = 1_000;

/** One that can run everything, so that a healed world comes to rest. */
const healthy: ProcessSpec = {
  skewMinutes: 7,
  hears: true,
  concurrency: 4,
  prefetch: 1,
  handles: "everything",
  ...anyJob,
};

/** Runs clients and workers against the in-process store with faults at every call, lets it come to rest, and looks. */
export async function simulate(scenario: Scenario, options: { readonly keepsHistory?: boolean } = {}): Promise<Report> {
  const world = createWorld(scenario, options.keepsHistory ?? false);
  const { watch } = world;
  const ledger = createLedger();
  for (const spec of scenario.processes) spawn(world, spec);
  schedule(world, scenario, ledger);
  let steps = await run(world, actingMs, () => false);
  watch.note("from now on nothing goes wrong");
  world.heal();
  // The roll is over. As long as it lasts, a worker of the first release may again and again claim a job whose blocker it cannot read.
  for (const { life, spec } of world.processes) if (spec.release === "first") life.die();
  // No hint says so: workers hear of it with their next heartbeat.
  await world.store.setPauses({ pauses: [], resume: ["step", "quick"] }, {});
  spawn(world, healthy);
  steps += await runUntil(world, restingMs, () => isAtRest(world));
  steps += await runUntil(world, tellingMs, async () => watch.openTransactions === 0 && ledger.waits.every(isOver));
  const violations = [...watch.violations, ...(await findViolations(world, ledger))];
  if (steps >= mostSteps) violations.push(`it took ${steps} steps: something spins`);
  for (const { life } of world.processes) life.die();
  await flush();
  return { violations, faults: watch.faults, history: watch.history, steps, chains: ledger.acknowledged.length };
}

function spawn(world: World, spec: ProcessSpec): SimulatedProcess {
  const spawned = world.spawn(spec);
  world.watch.note(`${spawned.name} is there: ${JSON.stringify(spec)}`);
  // It takes time, which passes only while the world is run.
  void spawned.worker.start();
  return spawned;
}

function schedule(world: World, { actions, processes }: Scenario, ledger: Ledger): void {
  const driver = world.scheduler.clock(0, () => 0);
  const perform = async (index: number): Promise<void> => {
    const action = actions[index];
    if (action === undefined) return;
    const living = world.processes.filter(({ life }) => !life.isDead());
    const spec = processes[index % processes.length] ?? healthy;
    const working = living.filter(({ stopping }) => stopping === undefined);
    const needsOne = working.length === 0 || (action.kind === "spawn" && working.length < 3);
    const actor = needsOne ? spawn(world, spec) : living[action.process % living.length];
    if (actor === undefined) return;
    world.watch.note(`${actor.name}: ${JSON.stringify(action)}`);
    try {
      await act(world, actor, action, ledger);
      if (action.kind === "start" || action.kind === "retry")
        world.watch.violations.push(...(await findRivals(world.store)));
    } catch (error) {
      world.watch.violations.push(`${JSON.stringify(action)} threw ${String(error)}`);
    }
  };
  for (const [index, { atMs }] of actions.entries()) driver.setTimer(() => void perform(index), atMs);
}

/** Steps until the time is over, or something says that it is enough. */
async function run(world: World, forMs: number, isEnough: () => boolean): Promise<number> {
  const until = world.scheduler.now() + forMs;
  let steps = 0;
  while (world.scheduler.now() < until && steps < mostSteps && !isEnough() && (await world.scheduler.step()))
    steps += 1;
  return steps;
}

/** The same, asked once a while. */
async function runUntil(world: World, forMs: number, isEnough: () => Promise<boolean>): Promise<number> {
  let steps = 0;
  for (let passed = 0; passed < forMs && !(await isEnough()); passed += lookEveryMs) {
    steps += await run(world, lookEveryMs, () => false);
  }
  return steps;
}

/** Nothing is left that a worker could run, now or later. */
async function isAtRest({ store, processes }: World): Promise<boolean> {
  if (processes.some(({ stopping, life }) => stopping === "stopping" && !life.isDead())) return false;
  const counts = await store.count({});
  return counts.every(({ status, count }) => count === 0 || !["ready", "running", "scheduled"].includes(status));
}

function isOver({ process, result }: Ledger["waits"][number]): boolean {
  return result !== undefined || process.life.isDead();
}
