import { randomUUID } from "node:crypto";
import { isChainwrightError } from "chainwright";
import type { Journal } from "./journal.ts";
import type { Death } from "./job-types.ts";
import type { FaultClient } from "./open-client.ts";
import type { Shapes } from "./shapes.ts";

export interface Starter {
  readonly client: FaultClient;
  readonly journal: Journal;
  readonly delayMs: number;
  readonly keys: number;
  /** The chains to start. */
  readonly shapes: Shapes;
}

const oneOf = <T>(...all: readonly [T, ...T[]]): T => all[Math.floor(Math.random() * all.length)] ?? all[0];

/** Starts a chain of any shape, and writes down what was to happen before, and what was acknowledged after. */
export async function startOne(starter: Starter): Promise<void> {
  const shape = Math.random() < 0.001 ? "poison" : oneOf(...starter.shapes);
  const id = randomUUID();
  if (shape === "doomed") return startDoomed(starter, id);
  const acknowledged = await (shape === "twice" ? startAgain(starter, id) : starts[shape](starter, id));
  starter.journal.write("acknowledged", acknowledged.id);
}

const step = ({ delayMs }: Starter) => ({ delayMs: Math.floor(Math.random() * delayMs) });

const starts = {
  line: (starter: Starter, id: string) => starter.client.startChain({ typeName: "line", id, input: step(starter) }),
  branch: (starter: Starter, id: string) =>
    starter.client.transaction((tx) => starter.client.startChain({ tx, typeName: "branch", id, input: step(starter) })),
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
  poison: (starter: Starter, id: string) => {
    const death = oneOf<Death>("exit", "abort", "out of memory");
    return starter.client.startChain({ typeName: "poison", id, input: { ...step(starter), death } });
  },
};

/** A start whose transaction rolls back: no trace of it may be found. */
async function startDoomed(starter: Starter, id: string): Promise<void> {
  starter.journal.write("doomed", id);
  const started = starter.client.transaction(async (tx) => {
    await starter.client.startChain({ tx, typeName: "line", id, input: step(starter) });
    throw new Error("rolled back, as planned");
  });
  await started.catch(() => undefined);
}

/** A start that is tried until it is acknowledged: that the chain is there is an acknowledgement too. */
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
