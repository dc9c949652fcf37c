import { createInProcessStateAdapter } from "../../../src/in-process/state-adapter.ts";
import { allRows } from "../all-rows.ts";
import { busySettlers, createGround, disturb, rest, settle, type SmallProcess } from "../small-world.ts";
import { count, createNoteLedger } from "./note-ledger.ts";
import { judgeNotes } from "./note-oracle.ts";
import { processorsOf, type ImportInput } from "./note-processors.ts";
import { watchNotes } from "./watch-notes.ts";

interface Report {
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  /** How many callbacks of `once` ran, how many results were remembered, how many checkpoints were saved, and so on. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Four workers over imports in parts, with faults at every call; then nothing goes wrong any more, and all chains have to end. */
export async function simulateNotes(seed: number): Promise<Report> {
  const world = createNoteWorld(seed);
  const { store, watch, ledger, below } = world;
  await disturb(world, { times: 40, forMs: 10_000 }, async (process) => {
    await (allActions[below(allActions.length)] ?? start)(world, process);
  });
  world.heal();
  world.spawn();
  await rest(world, { forMs: 240_000, rule: "F8" });
  watch.violations.push(...(await judgeNotes(store, ledger)));
  await world.end();
  return { violations: watch.violations, faults: watch.faults, counts: ledger.counts };
}

type NoteWorld = ReturnType<typeof createNoteWorld>;

function createNoteWorld(seed: number) {
  const ground = createGround(seed);
  const ledger = createNoteLedger();
  const { violations } = ground.watch;
  const store = createInProcessStateAdapter({ clock: ground });
  const world = settle(ground, {
    ...busySettlers,
    store,
    storeOf: (life) => watchNotes({ store, ledger, now: ground.now, violations }, life),
    fewest: 4,
    mostSteps: 60_000,
    processorsOf: (life, client) => processorsOf({ life, client, ledger, violations }),
  });
  return { ...world, ledger };
}

type Action = (world: NoteWorld, process: SmallProcess) => Promise<unknown>;

const start: Action = async ({ below }, { client }) => {
  const input: ImportInput = {
    parts: 1 + below(5),
    failures: below(3),
    partMs: 10 * below(60),
    startsOver: below(2) === 0,
    triesAgain: below(2) === 0,
    isStubborn: below(3) === 0,
  };
  await client.startChain({ typeName: "import", input });
};

const retry: Action = async (world, { client }) => {
  const id = await someImport(world);
  if (id === undefined) return;
  await client.retryChains({ items: [{ id }] });
  count(world.ledger, "retried");
};

const cancel: Action = async (world, { client }) => {
  const id = await someImport(world);
  if (id !== undefined) await client.cancelChains({ items: [{ id }] });
};

/** The worker stops; what its handlers have not saved by then is done again elsewhere. */
const stop: Action = async ({ below }, { worker, life }) => {
  await worker.stop({ timeoutMs: below(4) * 500 });
  life.die();
};

const die: Action = async (_, { life }) => {
  life.die();
};

const allActions: readonly Action[] = [start, start, start, cancel, retry, stop, die];

async function someImport({ store, below }: NoteWorld): Promise<string | undefined> {
  const chains = await store.listChains({ ...allRows, statuses: undefined }, {});
  const imports = chains.filter(({ typeName }) => typeName === "import");
  return imports[below(imports.length)]?.id;
}
