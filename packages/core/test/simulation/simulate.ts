import { findViolations } from "./oracle.ts";
import { flush } from "./scheduler.ts";
import { actAtRandom, type Ledger } from "./workload.ts";
import { createWorld, type World } from "./world.ts";

/** What became of one simulated run. */
export interface Report {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  readonly steps: number;
  readonly chains: number;
}

const actions = 12;
const mostSteps = 20_000;

/** Runs clients and workers against the in-process store with faults at every call, lets it come to rest, and looks. */
export async function simulate(seed: number): Promise<Report> {
  const world = createWorld(seed);
  const ledger: Ledger = { acknowledged: new Set(), rolledBack: new Set(), cancelled: new Set() };
  const { random } = world.scheduler;
  await world.spawn();
  await world.spawn();
  Object.assign(world.rates, {
    failBefore: random() * 0.1,
    replyLost: random() * 0.1,
    delay: random() * 0.3,
    die: random() * 0.02,
  });
  const driver = world.scheduler.clock(0);
  const acting: Promise<void>[] = [];
  for (let action = 0; action < actions; action += 1) {
    driver.setTimer(() => void acting.push(act(world, ledger)), random() * 10_000);
  }
  const startedAt = world.scheduler.now();
  let steps = await run(world, () => world.scheduler.now() - startedAt < 15_000);
  Object.assign(world.rates, { failBefore: 0, replyLost: 0, delay: 0, die: 0 });
  await world.spawn();
  const healedAt = world.scheduler.now();
  steps += await run(world, () => world.scheduler.now() - healedAt < 60_000);
  const violations = [...world.violations, ...(await findViolations(world.store, ledger))];
  if (steps >= mostSteps) violations.push(`it took more than ${mostSteps} steps: something spins`);
  for (const { life } of world.processes) life.die();
  await flush();
  return { seed, violations, faults: world.faults, steps, chains: ledger.acknowledged.size };
}

async function act(world: World, ledger: Ledger): Promise<void> {
  const living = world.processes.filter(({ life }) => !life.isDead());
  const process = living[Math.floor(world.scheduler.random() * living.length)] ?? (await world.spawn());
  await actAtRandom(world, process, ledger).catch(
    (error: unknown) => void world.violations.push(`an action threw ${String(error)}`),
  );
  if (living.length < 2) await world.spawn();
}

async function run(world: World, goOn: () => boolean): Promise<number> {
  let steps = 0;
  while (goOn() && steps < mostSteps && (await world.scheduler.step())) steps += 1;
  return steps;
}
