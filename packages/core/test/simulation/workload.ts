import { isChainwrightError } from "../../src/model/error.ts";
import type { Plan } from "./handlers.ts";
import type { SimulatedProcess, World } from "./world.ts";

/** What clients were told, and so what must hold in the end. */
export interface Ledger {
  /** Starts that were acknowledged: they must be there. */
  readonly acknowledged: Set<string>;
  /** Starts whose transaction was rolled back by its caller: they must not be there. */
  readonly rolledBack: Set<string>;
  /** Chains that a call to cancel was acknowledged for. */
  readonly cancelled: Set<string>;
}

/** One thing a client may do. What fails fails: only what is acknowledged counts. */
export async function actAtRandom(world: World, process: SimulatedProcess, ledger: Ledger): Promise<void> {
  const { random } = world.scheduler;
  const known = [...ledger.acknowledged];
  const someChain = known[Math.floor(random() * known.length)];
  const dice = random();
  try {
    if (dice < 0.5 || someChain === undefined) await start(world, process, ledger);
    else if (dice < 0.6) await startInTransaction(world, process, ledger);
    else if (dice < 0.75) await startBlocked(world, process, ledger, known);
    else if (dice < 0.82) await cancel(process, ledger, someChain);
    else if (dice < 0.9) await process.client.retryChain({ id: someChain });
    else if (dice < 0.95)
      await process.client.completeChain({ id: someChain, typeName: "step", output: { label: "from outside" } });
    else
      await process.client
        .deleteChain({ id: someChain, cascade: true })
        .then((ids) => ids.forEach((id) => ledger.acknowledged.delete(id)));
  } catch (error) {
    // A deletion whose reply was lost may have happened: what it was about is not owed any more.
    if (dice >= 0.95 && isChainwrightError(error, "store-unavailable")) ledger.acknowledged.clear();
    if (!isChainwrightError(error) && !(error instanceof Rollback) && !process.life.isDead()) throw error;
  }
}

class Rollback extends Error {}

async function start(world: World, { client }: SimulatedProcess, ledger: Ledger): Promise<void> {
  const { random } = world.scheduler;
  const deduplicated = random() < 0.3;
  const chain = await client.startChain({
    typeName: "step",
    input: plan(random, 0),
    priority: Math.floor(random() * 3),
    ...(deduplicated && { deduplication: { key: `key ${Math.floor(random() * 3)}` } }),
    ...(random() < 0.2 && { schedule: { afterMs: random() * 5_000 } }),
  });
  ledger.acknowledged.add(String(chain["id"]));
}

async function startInTransaction(world: World, { client }: SimulatedProcess, ledger: Ledger): Promise<void> {
  const { random } = world.scheduler;
  const rollBack = random() < 0.5;
  const ids: string[] = [];
  try {
    await client.transaction(async (tx) => {
      for (let count = 0; count < 3; count += 1) {
        ids.push(String((await client.startChain({ tx, typeName: "step", input: plan(random, 0) }))["id"]));
      }
      if (rollBack) throw new Rollback("as planned");
    });
    for (const id of ids) ledger.acknowledged.add(id);
  } catch (error) {
    if (rollBack) for (const id of ids) ledger.rolledBack.add(id);
    throw error;
  }
}

async function startBlocked(
  world: World,
  { client }: SimulatedProcess,
  ledger: Ledger,
  known: readonly string[],
): Promise<void> {
  const { random } = world.scheduler;
  const blockers = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const id = known[Math.floor(random() * known.length)];
    return id === undefined || random() < 0.5 ? { typeName: "step", input: plan(random, 0) } : { id, typeName: "step" };
  });
  const chain = await client.startChain({
    typeName: "step",
    input: plan(random, blockers.length),
    blockers,
    onBlockerFailure: random() < 0.5 ? "fail" : "wait",
  });
  ledger.acknowledged.add(String(chain["id"]));
}

async function cancel({ client }: SimulatedProcess, ledger: Ledger, id: string): Promise<void> {
  await client.cancelChain({ id });
  ledger.cancelled.add(id);
}

function plan(random: () => number, blockers: number): Plan {
  const modes = ["value", "atomic", "staged", "prepared"] as const;
  return {
    label: `plan ${Math.floor(random() * 1e9)}`,
    mode: modes[Math.floor(random() * modes.length)] ?? "value",
    stepsLeft: Math.floor(random() * 3),
    failures: random() < 0.3 ? 1 + Math.floor(random() * 2) : 0,
    fatal: random() < 0.2,
    durationMs: random() < 0.1 ? random() * 6_000 : random() * 50,
    blockers,
  };
}
