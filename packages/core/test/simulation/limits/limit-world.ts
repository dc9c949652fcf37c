import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { busySettlers, createGround, disturb, rest, settle } from "../small-world.ts";
import { actOnLimits } from "./limit-actions.ts";
import { definitions, processorsOf, resumeAll } from "./limit-settings.ts";
import { watchLimits } from "./watch-limits.ts";

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How often breakers have opened and closed, and how many jobs began as probes. */
  readonly breakers: Readonly<Record<"opened" | "closed" | "probes", number>>;
}

/** Five workers over twenty keys, with faults at every call; then nothing goes wrong any more, and all jobs have to end. */
export async function simulateLimits(seed: number): Promise<Report> {
  const ground = createGround(seed);
  const { below, watch, jump, now } = ground;
  const { store, breakers } = watchLimits(createInProcessStateAdapter({ clock: ground }), now, watch.violations);
  const limits = [{ limits: definitions(below) }];
  const world = settle(ground, { ...busySettlers, store, limits, fewest: 5, mostSteps: 40_000, processorsOf });
  await disturb(world, { times: 40, forMs: 10_000 }, ({ client, life }) =>
    actOnLimits({ below, client, life, store, jump }),
  );
  world.heal();
  await store.changeLimits(resumeAll(), {});
  world.spawn();
  await rest(world, { forMs: 240_000, rule: "C4" });
  const page = { check: "leases", after: undefined, limit: 100_000, heldBeforeMs: 0, timeMs: 1_000 } as const;
  const places = (await store.inspect(page, {})).faults.filter(({ kind }) => kind.includes("place"));
  watch.violations.push(...places.map((fault) => `C3: ${JSON.stringify(fault)}`));
  await world.end();
  return { violations: watch.violations, faults: watch.faults, breakers };
}
