import type { StateAdapter } from "../../../src/ports/state.ts";
import { allRows } from "../all-rows.ts";
import type { Life } from "../life.ts";
import { Rollback } from "../small-world.ts";
import type { SimulatedClient } from "../world.ts";
import { keys, type Input } from "./limit-settings.ts";

/** What an action needs. */
export interface Actor {
  readonly below: (most: number) => number;
  readonly client: SimulatedClient;
  readonly life: Life;
  readonly store: StateAdapter;
  /** The store's clock jumps. */
  readonly jump: (ms: number) => void;
}

type Action = (actor: Actor) => Promise<unknown>;

const actions: readonly Action[] = [
  ({ client, below }) =>
    client.changeLimit({ limit: "tenant", ...(below(2) === 0 && { key: someKey(below) }), concurrency: 1 + below(4) }),
  ({ client, below }) => client.resetLimit({ limit: "tenant", key: someKey(below) }),
  ({ client, below }) => client.pauseLimit({ ...someGate(below), forMs: 100 + below(2_000) }),
  ({ client, below }) => client.resumeLimit(someGate(below)),
  async ({ life }) => {
    life.die();
  },
  async ({ store, client, below }) => {
    const open = await store.listJobs({ ...allRows, statuses: ["ready", "running"] }, {});
    const job = open[below(open.length)];
    if (job !== undefined) await client.cancelChains({ items: [{ id: job.chainId }] });
  },
  async ({ jump, below }) => {
    jump(below(2) === 0 ? below(20_000) : -below(5_000));
  },
];

/** Does something: nearly half of all times it starts jobs. */
export async function actOnLimits(actor: Actor): Promise<void> {
  await (actions[actor.below(12)] ?? starts)(actor);
}

/** Starts a few jobs: at once, in a transaction that stays open for a while, or in one that rolls back. */
async function starts({ below, client, life }: Actor): Promise<void> {
  const items = Array.from({ length: 1 + below(6) }, () => {
    const input: Input = {
      // The first keys have more jobs than the last ones.
      tenant: keys[Math.floor(below(keys.length) * (below(10) / 10))] ?? "t0",
      durationMs: below(1_500),
      failures: below(4) === 0 ? 1 + below(2) : 0,
      inTransaction: below(3) === 0,
    };
    return { typeName: ["a", "a", "b", "b", "order", "free"][below(6)] ?? "a", input };
  });
  const kind = below(4);
  if (kind > 1) {
    await client.startChains({ items });
    return;
  }
  await client.transaction(async (tx) => {
    // The order of an open transaction's jobs is not known before it has committed.
    for (const item of items) if (item.typeName !== "order") await client.startChain({ ...item, tx });
    await new Promise<void>((resolve) => void life.clock.setTimer(resolve, below(1_500)));
    if (kind === 0) throw new Rollback("as planned");
  });
}

function someKey(below: Actor["below"]): string {
  return keys[below(keys.length)] ?? "t0";
}

function someGate(below: Actor["below"]): { readonly limit: string; readonly key: string } {
  const limit = ["tenant", "shared", "order"][below(3)] ?? "tenant";
  return { limit, key: limit === "shared" ? "all" : someKey(below) };
}
