import type { StateAdapter } from "../../../src/ports/state.ts";
import { allRows } from "../all-rows.ts";
import type { Life } from "../life.ts";
import { Rollback } from "../small-world.ts";
import type { SimulatedClient } from "../world.ts";
import { countDelivered, type SignalLedger } from "./signal-ledger.ts";

/** What an action needs. */
export interface Actor {
  readonly below: (most: number) => number;
  readonly client: SimulatedClient;
  readonly life: Life;
  readonly store: StateAdapter;
  readonly ledger: SignalLedger;
}

type Action = (actor: Actor) => Promise<unknown>;

const letter = (signalId: string) => ({ typeName: "mail", signal: "letter", payload: null, signalId });

async function someChain({ store, below }: Actor): Promise<string | undefined> {
  const chains = await store.listChains({ ...allRows, statuses: undefined }, {});
  return chains[below(chains.length)]?.id;
}

/** Sends a signal, often a second time under the same id. */
async function send(actor: Actor): Promise<void> {
  const { client, ledger, below } = actor;
  const id = await someChain(actor);
  if (id === undefined) return;
  const signalId = `letter ${ledger.sent.size}`;
  ledger.sent.set(signalId, undefined);
  for (let times = 1 + below(2); times > 0; times -= 1) {
    const result = await client.signalChain({ id, ...letter(signalId) });
    countDelivered(ledger, result?.delivered ?? "none");
    if (ledger.sent.get(signalId) === undefined) ledger.sent.set(signalId, result?.delivered);
  }
}

const actions: readonly Action[] = [
  async ({ life }) => {
    life.die();
  },
  async (actor) => {
    const id = await someChain(actor);
    if (id !== undefined) await actor.client.cancelChains({ items: [{ id }] });
  },
  async (actor) => {
    const id = await someChain(actor);
    if (id !== undefined) await actor.client.retryChains({ items: [{ id }] });
  },
  async (actor) => {
    const { client, ledger } = actor;
    const id = await someChain(actor);
    if (id === undefined) return;
    const signalId = `undone ${ledger.undone.size}`;
    ledger.undone.add(signalId);
    await client.transaction(async (tx) => {
      await client.signalChain({ tx, id, ...letter(signalId) });
      throw new Rollback();
    });
  },
  async ({ client, ledger, below }) => {
    const news = ledger.published.get("news") ?? new Set();
    const signalId = `news ${news.size}`;
    ledger.published.set("news", news.add(signalId));
    await client.publishSignal({ topic: "news", ...letter(signalId), keepMs: below(3) * 1_000 });
  },
  async ({ client, ledger, below }) => {
    const signalId = `start ${ledger.sent.size}`;
    ledger.sent.set(signalId, undefined);
    await client.startChain({
      typeName: "mail",
      input: { turns: 1, failures: 0 },
      waitUntil: "forever",
      deduplication: { key: `box ${below(3)}` },
      signals: [letter(signalId)],
    });
  },
  ({ client, below }) =>
    client.startChain({
      typeName: "mail",
      input: { turns: below(4), failures: below(2) },
      waitUntil: { afterMs: below(3_000) },
    }),
];

/** Mostly sends signals, and sometimes does something else. */
export async function actOnSignals(actor: Actor): Promise<void> {
  const other = actor.below(3) === 0 ? actions[actor.below(actions.length)] : undefined;
  await (other ?? send)(actor);
}
