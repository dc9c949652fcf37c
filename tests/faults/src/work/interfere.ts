import { setTimeout as delay } from "node:timers/promises";
import { isChainwrightError, type ChainwrightErrorCode } from "chainwright";
import type { FaultTx } from "../store/open-store.ts";
import type { FaultClient } from "./open-client.ts";

/** The client that interferes with running chains, and how that is recorded. */
export interface Operator {
  readonly client: FaultClient;
  /** Called before a chain is deleted: it may then be gone. */
  readonly deleting: (chainId: string) => void | Promise<void>;
}

/** Correct refusals: the chain has continued, or an earlier try of the call succeeded and its reply was lost. */
const refusals: readonly ChainwrightErrorCode[] = [
  "blocker-failed",
  "chain-not-active",
  "chain-not-found",
  "chain-not-retryable",
  "chain-referenced",
  "job-not-found",
  "job-not-scheduled",
  "job-type-mismatch",
];

export function isRefusal(error: unknown): boolean {
  return refusals.some((code) => isChainwrightError(error, code));
}

const few = 30;
const input = { delayMs: 0, rounds: 3 };

type Deed = (operator: Operator, id: string, tx: FaultTx | undefined) => Promise<unknown>;

/** What an operator, or a transaction of the application, does to a running chain. */
const deeds = {
  cancel: ({ client }, id, tx) => client.cancelChain({ tx, id, reason: "not wanted any more" }),
  complete: ({ client }, id, tx) => client.completeChain({ tx, id, typeName: "prey", output: 1 }),
  continue: ({ client }, id, tx) =>
    client.continueChain({ tx, id, typeName: "prey", with: { typeName: "prey", input } }),
  delete: async ({ client, deleting }, id, tx) => {
    await deleting(id);
    await client.deleteChain({ tx, id });
  },
  "delete with cascade": async ({ client, deleting }, id, tx) => {
    await deleting(id);
    await client.deleteChain({ tx, id, cascade: true });
  },
  "wait for it": ({ client }, id, tx) =>
    client.startChain({ tx, typeName: "prey.join", input: { delayMs: 5 }, blockers: [{ id, typeName: "prey" }] }),
} satisfies Readonly<Record<string, Deed>>;

export type DeedName = keyof typeof deeds;
const deedNames = Object.keys(deeds) as readonly DeedName[];

/** Interferes with one of the running chains, in a transaction that the caller may keep open. */
export async function interfere(operator: Operator, id: string, tx?: FaultTx): Promise<void> {
  const name = deedNames[Math.floor(Math.random() * deedNames.length)] ?? "cancel";
  await allowed(deeds[name](operator, id, tx));
}

/** Chains with a running step, the newest first, and some that wait. */
export async function preyOf(client: FaultClient): Promise<readonly string[]> {
  const running = await client.listJobs({ typeName: "prey", status: "running", limit: few });
  const active = await client.listChains({ typeName: "prey", status: "active", limit: few / 3 });
  return [...new Set([...running.items.map(({ chainId }) => chainId), ...active.items.map(({ id }) => id)])];
}

/** One round of an operator: interferes with some chains, triggers postponed jobs, and retries stopped chains. */
export async function operate(operator: Operator): Promise<void> {
  const { client } = operator;
  const prey = await preyOf(client);
  await Promise.all(prey.filter(() => Math.random() < 0.2).map((id) => interfere(operator, id)));
  await deleteSome(operator, prey);
  await Promise.all(Array.from({ length: 3 }, () => startAndDelete(operator)));
  const putOff = await client.listJobs({ typeName: "prey", status: "scheduled", limit: few });
  await Promise.all(putOff.items.filter(() => Math.random() < 0.5).map(({ id }) => allowed(client.triggerJob({ id }))));
  await retryStopped(client);
}

/** Several at once: the others continue while one is waited for. */
async function deleteSome({ client, deleting }: Operator, prey: readonly string[]): Promise<void> {
  const ids = prey.filter(() => Math.random() < 0.1);
  for (const id of ids) await deleting(id);
  await allowed(client.deleteChains({ items: ids.map((id) => ({ id })), cascade: true }));
}

/** A chain that is deleted right after it began to loop, often between two of its steps. */
async function startAndDelete({ client, deleting }: Operator): Promise<void> {
  const { id } = await client.startChain({ typeName: "prey", input: { ...input, rounds: 50 }, priority: 10 });
  await delay(Math.random() * 400);
  await deleting(id);
  await allowed(client.deleteChain({ id }));
}

/** Retries chains that were cancelled or have failed, and those that failed because of them. Returns whether there were any. */
export async function retryStopped(client: FaultClient): Promise<boolean> {
  const { items } = await client.listChains({
    typeName: ["prey", "prey.join"],
    status: ["failed", "cancelled"],
    limit: 200,
  });
  for (const { id } of items) await allowed(client.retryChain({ id }));
  return items.length > 0;
}

async function allowed(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}
