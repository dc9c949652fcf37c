import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { allRows } from "../all-rows.ts";
import { busySettlers, createGround, disturb, rest, settle, type SmallProcess } from "../small-world.ts";
import { count, createSagaLedger, processorsOf } from "./saga-ledger.ts";
import { judgeSagas } from "./saga-oracle.ts";

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How many chains ended in which way, and how many steps were undone. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Four workers over sagas of 2 to 6 steps, with faults at every call; then nothing goes wrong any more, and all chains have to end. */
export async function simulateSagas(seed: number): Promise<Report> {
  const world = createSagaWorld(seed);
  const { store, watch, ledger, below } = world;
  await disturb(world, { times: 60, forMs: 10_000 }, async (process) => {
    await (allActions[below(allActions.length)] ?? start)(world, process);
  });
  world.heal();
  world.spawn();
  await rest(world, { forMs: 240_000, rule: "N1" });
  watch.violations.push(...(await judgeSagas(store, ledger)));
  await world.end();
  return { violations: watch.violations, faults: watch.faults, counts: ledger.counts };
}

type SagaWorld = ReturnType<typeof createSagaWorld>;

function createSagaWorld(seed: number) {
  const ground = createGround(seed);
  const ledger = createSagaLedger();
  const world = settle(ground, {
    ...busySettlers,
    store: createInProcessStateAdapter({ clock: ground }),
    fewest: 4,
    mostSteps: 60_000,
    processorsOf: (life) => processorsOf(life, ledger),
  });
  return { ...world, ledger };
}

type Action = (world: SagaWorld, process: SmallProcess) => Promise<unknown>;

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
