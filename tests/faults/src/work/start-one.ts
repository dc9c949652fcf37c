import { randomUUID } from "node:crypto";
import { isChainwrightError } from "chainwright";
import { latenesses } from "./job-types.ts";
import type { Death } from "./job-types.ts";
import type { Shape } from "./shapes.ts";
import { inOwnTransaction, orOwnError } from "./own-transaction.ts";
import { startDoomed } from "./start-doomed.ts";
import type { Starter } from "./starter.ts";

/** Chains that are rare because they cost the process or the store much. */
const rare = ["poison", "slow"] as const;
const rareShare = 0.001;

const oneOf = <T>(...all: readonly [T, ...T[]]): T => all[Math.floor(Math.random() * all.length)] ?? all[0];

/** Starts a chain of any shape. Records the plan before, and the acknowledgement after. */
export async function startOne(starter: Starter): Promise<void> {
  const isRare = Math.random() < rareShare * rare.length;
  await startShape(starter, isRare ? oneOf(...rare) : oneOf(...starter.shapes));
}

export async function startShape(starter: Starter, shape: Shape | (typeof rare)[number]): Promise<void> {
  const id = randomUUID();
  if (shape === "doomed") return startDoomed(starter, id, step(starter));
  const acknowledged = await (shape === "twice" ? startAgain(starter, id) : starts[shape](starter, id));
  starter.journal.write("acknowledged", acknowledged.id);
}

const step = ({ delayMs }: Starter) => ({ delayMs: Math.floor(Math.random() * delayMs) });

const starts = {
  line: (starter: Starter, id: string) => starter.client.startChain({ typeName: "line", id, input: step(starter) }),
  branch: startInTransaction,
  loop: (starter: Starter, id: string) =>
    starter.client.startChain({
      typeName: "loop",
      id,
      input: { ...step(starter), rounds: oneOf(2, 3, 4, 5, 6) },
      priority: oneOf(0, 1, -1),
    }),
  join: (starter: Starter, id: string) => {
    const input = step(starter);
    const part = () => oneOf({ typeName: "part" as const, input }, { typeName: "part.value" as const, input });
    const blockers = Array.from({ length: oneOf(2, 3, 6) }, part);
    return starter.client.startChain({ typeName: "join", id, input: step(starter), blockers });
  },
  keyed: (starter: Starter, id: string) => {
    const key = `key ${Math.floor(Math.random() * starter.keys)}`;
    const input = { ...step(starter), key };
    return starter.client.startChain({ typeName: "keyed", id, input, deduplication: { key } });
  },
  stumble: (starter: Starter, id: string) => {
    const input = { ...step(starter), failures: oneOf(1, 2), putOff: oneOf(true, false) };
    return starter.client.startChain({ typeName: "stumble", id, input, schedule: { afterMs: oneOf(0, 30) } });
  },
  broken: (starter: Starter, id: string) =>
    starter.client.startChain({ typeName: "broken", id, input: { ...step(starter), mended: false } }),
  parked: (starter: Starter, id: string) =>
    starter.client.startChain({ typeName: "parked", id, input: step(starter), schedule: { afterMs: 86_400_000 } }),
  prey: startPrey,
  preyed: (starter: Starter, id: string) => {
    const prey = () => ({ typeName: "prey" as const, input: loopOf() });
    const blockers = Array.from({ length: oneOf(1, 2, 3) }, prey);
    return starter.client.startChain({ typeName: "prey.join", id, input: step(starter), blockers });
  },
  late: (starter: Starter, id: string) => {
    // On SQLite, a callback that never ends holds the only writer until its time limit.
    const how = Math.random() < 0.02 ? "never ends its callback" : oneOf(...latenessesThatEnd);
    return starter.client.startChain({ typeName: "late", id, input: { ...step(starter), how } });
  },
  slow: (starter: Starter, id: string) => starter.client.startChain({ typeName: "slow", id, input: step(starter) }),
  poison: (starter: Starter, id: string) => {
    const death = oneOf<Death>("exit", "abort", "out of memory");
    return starter.client.startChain({ typeName: "poison", id, input: { ...step(starter), death } });
  },
};

const [firstLateness, ...otherLatenesses] = latenesses;
const latenessesThatEnd = [firstLateness, ...otherLatenesses.slice(0, -1)] as const;

/** Many steps without work, so that operators find chains between two of them. */
const loopOf = () => ({ delayMs: 0, rounds: 5 + Math.floor(Math.random() * 30) });

/** As a store keeps the key of a type. */
const storedKey = (typeName: string, key: string) => JSON.stringify([key, typeName]);

/** In a transaction of the client or of the application. */
async function startInTransaction(starter: Starter, id: string): Promise<{ readonly id: string }> {
  const { client, store } = starter;
  const start = { typeName: "branch", id, input: step(starter) } as const;
  if (store.begin === undefined || Math.random() < 0.5) {
    return orOwnError(client.transaction((tx) => client.startChain({ tx, ...start })));
  }
  return inOwnTransaction(store.begin, async (own) => {
    const started = await client.startChain({ tx: own.tx, ...start });
    await own.commit();
    client.committed(own.tx);
    return started;
  });
}

/** Starts one chain, or several with keys in one call: each has to return the chain that holds its key. */
async function startPrey(starter: Starter, id: string): Promise<{ readonly id: string }> {
  const { client, journal } = starter;
  if (Math.random() < 0.5) return client.startChain({ typeName: "prey", id, input: loopOf() });
  const item = () => {
    const scope = oneOf("active" as const, "any" as const);
    const key = `${scope}${Math.floor(Math.random() * starter.keys)}`;
    return { typeName: "prey" as const, input: loopOf(), deduplication: { key, scope } };
  };
  const items = [item(), item(), item()] as const;
  const started = await client.startChains({ items });
  for (const [index, { deduplication }] of items.entries()) {
    const returned = started[index]?.id;
    if (returned === undefined) journal.write("unanswered");
    else journal.write("keyed", returned, storedKey("prey", deduplication.key));
  }
  return started[0];
}

/** A start that is tried until it is acknowledged; a chain that exists already counts as acknowledged. */
async function startAgain(starter: Starter, id: string): Promise<{ readonly id: string }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await starter.client.startChain({ typeName: "line", id, input: step(starter) });
    } catch (error) {
      if (isChainwrightError(error, "duplicate-id")) return { id };
      if (tries === 20) throw error;
    }
  }
}
