import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import type { Life } from "../life.ts";
import { allRows } from "../all-rows.ts";
import { createGround, disturb, roughFaults, settle, type Below } from "../small-world.ts";
import { actOnSchedules, createAll } from "./schedule-actions.ts";
import { watchSchedules } from "./watch-schedules.ts";

const mostWorkers = 3;
const hour = 3_600_000;

interface Report {
  readonly violations: readonly string[];
  /** How often each fault struck, and each thing happened. */
  readonly counts: ReadonlyMap<string, number>;
}

/** One to three workers whose clocks are up to an hour wrong, with faults at every call; then nothing goes wrong any more. */
export async function simulateSchedules(seed: number): Promise<Report> {
  const world = createScheduleWorld(seed);
  const { watch, below, now, jump } = world;
  await createAll({ below, client: world.bystander() });
  world.spawn();
  await disturb(world, { times: 24, forMs: 40_000 }, async (one) => {
    const { client } = one;
    const kill = (kind: "one" | "all") => (kind === "one" ? [one] : world.living()).forEach(({ life }) => life.die());
    await actOnSchedules({ below, client, now, wait: waiterOf(one.life), kill, jump });
  });
  world.heal();
  world.spawn();
  await world.runFor(12_000);
  await judge(world);
  await world.end();
  return { violations: watch.violations, counts: new Map([...watch.faults, ...world.watched.counts]) };
}

type ScheduleWorld = ReturnType<typeof createScheduleWorld>;

function createScheduleWorld(seed: number) {
  const ground = createGround(seed);
  const { below, now, watch } = ground;
  const { store, watched } = watchSchedules(createInProcessStateAdapter({ clock: ground }), now, watch.violations);
  const world = settle(ground, {
    store,
    fewest: 1 + (seed % mostWorkers),
    faults: { ...roughFaults, replyLost: 40, delay: 150, die: 10 },
    mostSteps: 20_000,
    skewMs: () => (below(3) - 1) * hour,
    worker: () => ({ concurrency: 20, leaseMs: 20_000, pollIntervalMs: 5_000 }),
    processorsOf: (life) => ({ work: { handler: () => work(life, below) } }),
  });
  return { ...world, watched };
}

function waiterOf({ clock }: Life) {
  return (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
}

async function work(life: Life, below: Below): Promise<null> {
  await waiterOf(life)(below(8_000));
  return null;
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
