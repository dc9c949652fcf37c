import type { Step } from "./job-types.ts";
import { inOwnTransaction } from "./own-transaction.ts";
import type { Starter } from "./starter.ts";

type Doomed = Pick<Starter, "client" | "store" | "journal">;

/** A start of which no trace may be found: its transaction rolls back, or had ended before. */
export async function startDoomed(starter: Doomed, id: string, input: Step): Promise<void> {
  starter.journal.write("doomed", id);
  const ways = [rollBack, rollBackOwn, startLate] as const;
  const way = ways[Math.floor(Math.random() * ways.length)] ?? rollBack;
  await way(starter, id, input);
}

async function rollBack({ client }: Doomed, id: string, input: Step): Promise<void> {
  const started = client.transaction(async (tx) => {
    await client.startChain({ tx, typeName: "line", id, input });
    throw new Error("rolled back, as planned");
  });
  await started.catch(() => undefined);
}

/** In a transaction of the application, whose handle is used after its end. */
async function rollBackOwn(doomed: Doomed, id: string, input: Step): Promise<void> {
  const { client, store } = doomed;
  if (store.begin === undefined) return rollBack(doomed, id, input);
  await inOwnTransaction(store.begin, async ({ tx, rollback }) => {
    await client.startChain({ tx, typeName: "line", id, input });
    await rollback();
  });
}

/** With a `tx` whose transaction has committed: it must be refused. */
async function startLate({ client, journal }: Doomed, id: string, input: Step): Promise<void> {
  const { tx } = await client.transaction(async (open) => ({ tx: open }));
  const started = client.startChain({ tx, typeName: "line", id, input }).then(
    () => journal.write("late", id),
    () => undefined,
  );
  // A call that waits for a connection is not refused either, and may wait forever.
  await Promise.race([started, new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
}
