import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { allRows } from "../all-rows.ts";
import { busySettlers, createGround, disturb, rest, settle, type SmallProcess } from "../small-world.ts";
import { createBatchLedger, type ItemInput } from "./batch-ledger.ts";
import { judgeBatches } from "./batch-oracle.ts";
import { batchTypes, processorsOf } from "./batch-processors.ts";

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How many jobs ended in which way, how many calls were shared, and how many were broken by poison. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Three workers over jobs in batches, some of them poison, with faults at every call; then nothing goes wrong any more. */
export async function simulateBatches(seed: number): Promise<Report> {
  const world = createBatchWorld(seed);
  const { store, watch, ledger, below } = world;
  await disturb(world, { times: 40, forMs: 8_000 }, async (process) => {
    await (allActions[below(allActions.length)] ?? start)(world, process);
  });
  world.heal();
  world.spawn();
  await rest(world, { forMs: 240_000, rule: "G3" });
  watch.violations.push(...(await judgeBatches(store, { ledger, facts: watch.facts })));
  await world.end();
  return { violations: watch.violations, faults: watch.faults, counts: ledger.counts };
}

type BatchWorld = ReturnType<typeof createBatchWorld>;

function createBatchWorld(seed: number) {
  const ground = createGround(seed);
  const ledger = createBatchLedger();
  const { violations } = ground.watch;
  const world = settle(ground, {
    ...busySettlers,
    store: createInProcessStateAdapter({ clock: ground }),
    fewest: 3,
    mostSteps: 60_000,
    processorsOf: (life, client) => processorsOf({ life, client, ledger, violations }),
  });
  return { ...world, ledger };
}

type Action = (world: BatchWorld, process: SmallProcess) => Promise<unknown>;

const start: Action = async ({ below, ledger }, { client }) => {
  const typeName = batchTypes[below(batchTypes.length)] ?? "throws";
  const group = below(2);
  const items = Array.from({ length: 1 + below(10) }, () => {
    ledger.started += 1;
    const input: ItemInput = {
      n: ledger.started,
      group: below(4) === 0 ? 1 - group : group,
      isPoison: below(8) === 0,
      handlerMs: 10 * below(100),
    };
    return { typeName, input };
  });
  await client.startChains({ items });
};

const cancel: Action = async ({ store, below }, { client }) => {
  const chains = await store.listChains({ ...allRows, statuses: ["active"] }, {});
  const id = chains[below(chains.length)]?.id;
  if (id !== undefined) await client.cancelChains({ items: [{ id }] });
};

/** The worker stops, while jobs gather and while handlers run. */
const stop: Action = async ({ below }, { worker, life }) => {
  await worker.stop({ timeoutMs: below(4) * 300 });
  life.die();
};

const die: Action = async (_, { life }) => {
  life.die();
};

const allActions: readonly Action[] = [start, start, start, start, cancel, cancel, stop, die];
