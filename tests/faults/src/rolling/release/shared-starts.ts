import { randomUUID } from "node:crypto";
import type { RollingProcess } from "./open-process.ts";
import type { SharedClient } from "./shared-client.ts";

const upTo = (most: number) => Math.floor(Math.random() * (most + 1));

/** Starts a chain of any kind. Writes down its id and its jobs before, and that it was acknowledged after. */
export async function startShared({ journal, orders }: RollingProcess, client: SharedClient): Promise<void> {
  const id = randomUUID();
  const input = { delayMs: upTo(orders.delayMs) };
  const planned = (jobs: number) => journal("planned", id, jobs);
  switch (upTo(6)) {
    case 0: {
      const part = { typeName: "part", input } as const;
      planned(2);
      await client.startChain({ id, typeName: "join", input, blockers: [part, part] });
      break;
    }
    case 1: {
      planned(1);
      await client.startChain({ id, typeName: "stumble", input: { ...input, failures: 1 + upTo(1) } });
      break;
    }
    case 2: {
      const key = String(upTo(orders.keys));
      const started = await client.startChain({ typeName: "keyed", input, deduplication: { key, scope: "any" } });
      return journal("keyed", started.id, key);
    }
    case 3: {
      planned(1);
      await client.startChain({ id, typeName: "later", input, schedule: { afterMs: upTo(1_000) }, priority: upTo(2) });
      break;
    }
    case 4: {
      planned(1);
      await client.transaction((tx) => client.startChain({ tx, id, typeName: "part", input }));
      break;
    }
    default: {
      const rounds = 2 + upTo(4);
      planned(rounds);
      await client.startChain({ id, typeName: "loop", input: { ...input, rounds } });
    }
  }
  journal("acknowledged", id);
}
