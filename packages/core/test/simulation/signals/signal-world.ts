import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { busySettlers, createGround, disturb, rest, settle } from "../small-world.ts";
import { actOnSignals } from "./signal-actions.ts";
import { createSignalLedger, processorsOf } from "./signal-ledger.ts";
import { judgeSignals, sleepers } from "./signal-oracle.ts";

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How many signals were delivered in which way, and how many waits ended without one. */
  readonly delivered: ReadonlyMap<string, number>;
}

/** Four workers over a few mailboxes, with faults at every call; then nothing goes wrong any more, and all chains have to end. */
export async function simulateSignals(seed: number): Promise<Report> {
  const ground = createGround(seed);
  const ledger = createSignalLedger();
  const store = createInProcessStateAdapter({ clock: ground });
  const world = settle(ground, {
    ...busySettlers,
    store,
    fewest: 4,
    mostSteps: 60_000,
    processorsOf: (life) => processorsOf(life, ledger),
  });
  const { below, watch } = world;
  await disturb(world, { times: 60, forMs: 10_000 }, async ({ client, life }) => {
    try {
      await actOnSignals({ below, client, life, store, ledger });
    } finally {
      watch.violations.push(...(await sleepers(store)));
    }
  });
  world.heal();
  const { client } = world.spawn();
  await rest(world, { forMs: 240_000, rule: "E2" }, async (jobs) => {
    for (const { chainId } of jobs)
      await client.signalChain({ id: chainId, typeName: "mail", signal: "stop", payload: null }).catch(() => undefined);
  });
  watch.violations.push(...(await judgeSignals(store, ledger)));
  await world.end();
  return { violations: watch.violations, faults: watch.faults, delivered: ledger.delivered };
}
