import type { RetryReply } from "../ports/change.ts";
import type { ChainEvent } from "../model/event.ts";
import type { Engine } from "../engine/engine.ts";
import { consequenceEvents, endedChain, jobStartedEvent } from "../engine/job-events.ts";
import { checkId, checkKeys, given, invalid } from "../checks/check-options.ts";
import { change, checkDistinct } from "./change.ts";
import { prepareInput } from "./prepare-input.ts";
import { isReadValue } from "./read-values.ts";

export interface RetryItem {
  readonly id: string;
  /** The type of the step where the chain stopped. */
  readonly typeName?: string | undefined;
  /** Replaces the input of that step. */
  readonly input?: unknown;
}

const retryKeys = { id: true, typeName: true, input: true } satisfies Record<keyof RetryItem, true>;

/** Makes failed and cancelled chains active again, from the step where they stopped; all or none. */
export async function retryChains(engine: Engine, items: readonly RetryItem[], tx: unknown): Promise<void> {
  if (items.length === 0) return;
  const requests = await Promise.all(items.map((item) => retryRequest(engine, item)));
  checkDistinct(requests, "retryChains");
  const retried = await change(engine, tx, () => engine.state.retry(requests, engine.callOptions(tx)));
  const events = retried.flatMap((chain): ChainEvent[] => {
    const { jobId, chainId, typeName } = chain.job;
    return [
      { type: "chain-retried", jobId, chainId, typeName },
      jobStartedEvent(chain.job, "retry"),
      ...withdrawnEvents(chain),
      ...consequenceEvents(chain),
    ];
  });
  engine.events.record(events, tx);
}

/** The follow-ups that were cancelled, because their chain is active again. */
function withdrawnEvents({ withdrawn = [], awaited }: RetryReply): readonly ChainEvent[] {
  return withdrawn.flatMap(({ jobId, chainId, typeName }): ChainEvent[] => [
    { type: "job-cancelled", jobId, chainId, typeName },
    { type: "chain-cancelled", ...endedChain({ jobId, chainId, typeName }, awaited), interrupted: undefined },
  ]);
}

/** A new input is written in the newest version. It belongs to a step: it is checked against that step's schema, and the store compares the name. */
async function retryRequest(engine: Engine, item: RetryItem) {
  if (isReadValue(given(item, "retryChain")))
    throw invalid(
      "retryChain takes no whole chain, whose input is not that of the step where it stopped; pass { id: chain.id }.",
    );
  checkKeys(item, retryKeys, "retryChain");
  const chainId = checkId(item.id, "id");
  const { typeName } = item;
  if (typeName !== undefined) engine.types.assertKnown(typeName);
  if (item.input === undefined) return { chainId, typeName, input: undefined };
  if (typeName === undefined)
    throw invalid("retryChain with an input needs a typeName: pass the type of the step where the chain stopped.");
  return { chainId, typeName, ...(await prepareInput(engine, typeName, item.input)) };
}
