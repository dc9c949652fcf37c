import type { ChainRecord, JobRecord } from "../../src/model/record.ts";
import { isChainwrightError } from "../../src/model/error.ts";
import { allRows } from "./all-rows.ts";
import { shapeOf, stepInput, unknownPool, type StepInput } from "./handlers.ts";
import type { Ledger, Wait } from "./ledger.ts";
import type { Action, BlockerSpec, StartSpec } from "./scenario.ts";
import type { SimulatedProcess, World } from "./world.ts";

/** Does one thing of a scenario. What fails fails: only what is acknowledged counts. */
export async function act(world: World, process: SimulatedProcess, action: Action, ledger: Ledger): Promise<void> {
  const { client } = process;
  const chain = async (index: number): Promise<string> => await pick(world, ledger, action.kind, index);
  const chains = async (indexes: readonly number[]) =>
    await Promise.all(indexes.map(async (index) => ({ id: await chain(index) })));
  try {
    switch (action.kind) {
      case "start":
        return await start(process, action, ledger);
      case "await":
        return awaitEnd(process, await chain(action.chain), action.timeoutMs, ledger);
      case "cancel":
        return void (await client.cancelChains({ items: await chains(action.chains) }));
      case "retry":
        return await client.retryChains({ items: await chains(action.chains) });
      case "complete":
        return await client.completeChain({
          id: await chain(action.chain),
          typeName: "step",
          output: { by: "client" },
        });
      case "continue": {
        const input = stepInput("step", action.plan, {
          fromOutside: true,
          pool: unknownPool,
          ...shapeOf(process.spec),
        });
        return await client.continueChain({
          id: await chain(action.chain),
          typeName: "step",
          with: { typeName: "step", input },
        });
      }
      case "trigger":
        return await client.triggerJob({ id: await chain(action.chain) });
      case "delete":
        return void (await client.deleteChain({ id: await chain(action.chain), cascade: action.cascade }));
      case "pause":
        return await client.pauseJobTypes({ typeNames: [action.typeName], forMs: action.forMs });
      case "resume":
        return await client.resumeJobTypes({ typeNames: [action.typeName] });
      case "stop":
        return await stop(world, process, action.timeoutMs);
      case "kill":
        return process.life.die();
      case "spawn":
        return;
    }
  } catch (error) {
    if (!isChainwrightError(error) && !(error instanceof Rollback) && !process.life.isDead()) throw error;
    world.watch.note(`${action.kind} ended with ${String(error)}`);
  }
}

/** What an action may be done to; the rest are about any chain. */
const fits: Readonly<Partial<Record<Action["kind"], (chain: ChainRecord, open: JobRecord | undefined) => boolean>>> = {
  cancel: ({ status }) => status === "active",
  retry: ({ status }) => status === "failed" || status === "cancelled",
  complete: ({ status }, open) => status === "active" && open?.typeName === "step",
  continue: ({ status }, open) => status === "active" && open?.typeName === "step",
  trigger: (_, open) => open?.status === "scheduled",
};

/** Most often one of the chains that the action may be done to. */
async function pick({ store }: World, ledger: Ledger, kind: Action["kind"], index: number): Promise<string> {
  const { acknowledged } = ledger;
  const fitting: string[] = [];
  const fit = fits[kind];
  if (index < 8 && fit !== undefined) {
    const jobs = await store.listJobs({ ...allRows, statuses: ["blocked", "scheduled", "ready", "running"] }, {});
    const open = new Map(jobs.map((job) => [job.chainId, job]));
    for (const found of await store.getChains(acknowledged, {}))
      if (found !== undefined && fit(found, open.get(found.id))) fitting.push(found.id);
  }
  const among = fitting.length > 0 ? fitting : acknowledged;
  return among[index % among.length] ?? unknownId;
}

const unknownId = "00000000-0000-4000-8000-000000000000";

class Rollback extends Error {}

async function start(
  { client, spec: own }: SimulatedProcess,
  { starts, tx }: Extract<Action, { readonly kind: "start" }>,
  ledger: Ledger,
): Promise<void> {
  const items = starts.map((spec) => startItem(spec, ledger, shapeOf(own)));
  if (tx === "none") {
    const started = await client.startChains({ items });
    for (const chain of started) acknowledge(ledger, chain);
    return;
  }
  const chains: Started[] = [];
  try {
    await client.transaction(async (handle) => {
      for (const item of items) {
        const started = await client.startChain({ ...item, tx: handle });
        // A deduplicated start returns a chain that another start began.
        if (started["deduplicated"] === false) chains.push(started);
      }
      if (tx === "rollback") throw new Rollback("as planned");
    });
    for (const chain of chains) acknowledge(ledger, chain);
  } catch (error) {
    if (tx === "rollback") for (const { id } of chains) ledger.rolledBack.add(String(id));
    throw error;
  }
}

type Started = Readonly<Record<string, unknown>>;

function acknowledge({ acknowledged, types }: Ledger, { id, typeName }: Started): void {
  const chainId = String(id);
  if (!types.has(chainId)) acknowledged.push(chainId);
  types.set(chainId, String(typeName));
}

type Item = Parameters<SimulatedProcess["client"]["startChains"]>[0]["items"][number];

function startItem(spec: StartSpec, ledger: Ledger, shape: Partial<StepInput>): Item {
  if ((spec.key === "debounce" || spec.key === "throttle") && spec.blockers.length === 0)
    return gatheredItem(spec, spec.key, shape);
  return plainItem(spec, ledger, shape);
}

/** Starts that go into one chain: what one of them says replaces what the one before has said. */
function gatheredItem(
  { typeName, plan, priority, pool }: StartSpec,
  by: "debounce" | "throttle",
  shape: Partial<StepInput>,
): Item {
  return {
    typeName,
    input: stepInput(typeName, plan, { blockers: 0, pool, ...shape }),
    priority,
    ...(pool !== undefined && { pool }),
    ...(by === "debounce"
      ? { debounce: { key: "k", quietMs: 700, maxWaitMs: 2_000 } }
      : { throttle: { key: "k", perMs: 1_500, last: true } }),
  };
}

function plainItem(spec: StartSpec, ledger: Ledger, shape: Partial<StepInput>): Item {
  const { typeName, plan, priority, afterMs, onBlockerFailure, pool } = spec;
  const scope = spec.key === "active" || spec.key === "any" ? spec.key : undefined;
  const blockers = spec.blockers.map((blocker) => blockerItem(blocker, ledger, shape));
  const key = scope === undefined ? undefined : `${typeName} ${scope}`;
  const input = { blockers: blockers.length, key, pool, ...shape };
  return {
    typeName,
    input: stepInput(typeName, plan, input),
    priority,
    onBlockerFailure,
    blockers,
    ...(pool !== undefined && { pool }),
    ...(afterMs !== undefined && { schedule: { afterMs } }),
    ...(scope !== undefined && { deduplication: { key: scope, scope } }),
  };
}

function blockerItem(
  blocker: BlockerSpec,
  ledger: Ledger,
  shape: Partial<StepInput>,
): NonNullable<Item["blockers"]>[number] {
  const { acknowledged, types } = ledger;
  if ("inline" in blocker) return plainItem(blocker.inline, ledger, shape);
  const id = acknowledged[blocker.known % acknowledged.length] ?? unknownId;
  return { id, typeName: types.get(id) ?? "step" };
}

function awaitEnd(process: SimulatedProcess, chainId: string, timeoutMs: number | undefined, ledger: Ledger): void {
  const wait: Wait = { process, chainId, result: undefined };
  ledger.waits.push(wait);
  process.client.awaitChain({ id: chainId }, { timeoutMs }).then(
    () => (wait.result = "completed"),
    (error: unknown) => (wait.result = error instanceof Error ? error : new Error(String(error))),
  );
}

/** A stop has to end in its time, and the worker to hold nothing then, where nothing goes wrong. */
async function stop(world: World, process: SimulatedProcess, timeoutMs: number): Promise<void> {
  if (process.stopping !== undefined) return;
  process.stopping = "stopping";
  const { scheduler, store, watch } = world;
  const before = scheduler.now();
  await process.worker.stop({ timeoutMs });
  process.stopping = "stopped";
  const tookMs = scheduler.now() - before;
  if (tookMs > timeoutMs + 10_000) watch.violations.push(`${process.name} took ${tookMs} ms to stop`);
  if (world.isFaulty()) return;
  const running = await store.listJobs({ ...allRows, statuses: ["running"] }, {});
  const held = running.filter(({ leasedBy }) => leasedBy === process.worker.id).map(({ id }) => id);
  if (held.length > 0) watch.violations.push(`${process.name} stopped and holds ${held.join(", ")}`);
}
