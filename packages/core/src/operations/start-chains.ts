import type { StartReply } from "../ports/start.ts";
import type { Engine } from "../engine/engine.ts";
import { startedJobsEvents } from "../engine/job-events.ts";
import { prepareStart, type StartItem } from "./prepare-start.ts";
import { refusalError } from "./refusal-error.ts";
import { startOutside } from "./start-without-transaction.ts";

/** Starts chains, all or none. Without a transaction they share a statement with other starts of the same time. */
export async function startChains(
  engine: Engine,
  items: readonly StartItem[],
  tx: unknown,
): Promise<readonly StartReply[]> {
  if (items.length === 0) return [];
  const starts = await Promise.all(items.map((item) => prepareStart(engine, item)));
  const [reply] =
    tx === undefined
      ? [await startOutside(engine, items, starts)]
      : await engine.state.start([{ starts }], engine.callOptions(tx));
  if (reply === undefined) throw new TypeError("the state adapter must return a reply for each start; got none.");
  if (!reply.ok) throw refusalError(reply.refusal);
  const chains = reply.value;
  engine.events.record(
    chains.flatMap((chain, index) =>
      chain.deduplicated
        ? [{ type: "chain-deduplicated", chainId: chain.id, typeName: items[index]?.typeName ?? "" } as const]
        : startedJobsEvents(chain.jobs),
    ),
    tx,
  );
  return chains;
}
