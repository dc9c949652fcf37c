import { isChainwrightError } from "chainwright";
import type { ErasedClient, ErasedRetry } from "chainwright/adapter";
import type { ActionResult } from "../protocol/actions.ts";
import { refusalOf } from "../http/refusal.ts";
import { performOnLimit } from "./perform-on-limit.ts";
import { performOnSchedule } from "./perform-on-schedule.ts";
import { isOnLimits, isOnSchedules, type CheckedRequest } from "./request.ts";

/** The outcome of an action for its items. */
export interface Performed {
  readonly done: readonly string[];
  readonly refused: readonly Refused[];
  readonly deleted: readonly string[];
}

export interface Refused {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** The store failed after a part of the action was done. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly performed: Performed;

  constructor(performed: Performed, cause: unknown) {
    super(`The store failed after ${performed.done.length} were done.`, { cause });
    this.performed = performed;
  }
}

/** Who performs an action, and in which transaction. */
interface Doer {
  readonly by: string | undefined;
  readonly tx?: unknown;
}

/** After this many refusals the rest is done one by one, because each refusal repeats the call for all remaining items. */
const mostRefusalsTogether = 10;

type Do = (items: readonly ErasedRetry[]) => Promise<readonly string[]>;

/**
 * Performs an action on all items that allow it. They share one call, so that dependent chains are judged together: when one chain failed
 * because of another, both can be retried. A refused item is left out and the call is repeated with the others.
 *
 * @throws Interrupted when the store fails between two calls
 */
export async function perform(
  client: ErasedClient,
  request: CheckedRequest,
  items: readonly ErasedRetry[],
  doer: Doer,
): Promise<Performed> {
  const run = doing(client, request, doer);
  // A call is on one schedule or limit: its errors name no item, and a repeated one would start the chain of a schedule again.
  if (isOnSchedules(request) || isOnLimits(request)) return await oneByOne(run, items, []);
  const refused: Refused[] = [];
  let rest = items;
  while (rest.length > 0 && refused.length < mostRefusalsTogether) {
    try {
      const deleted = await run(rest);
      return { done: rest.map(({ id }) => id), refused, deleted };
    } catch (error) {
      const culprit = culpritOf(error, rest);
      if (culprit === undefined) break;
      refused.push(refusedItem(culprit, error));
      rest = rest.filter(({ id }) => id !== culprit);
    }
  }
  return await oneByOne(run, rest, refused);
}

async function oneByOne(run: Do, items: readonly ErasedRetry[], before: readonly Refused[]): Promise<Performed> {
  const done: string[] = [];
  const refused = [...before];
  const deleted: string[] = [];
  for (const item of items) {
    try {
      deleted.push(...(await run([item])));
      done.push(item.id);
    } catch (error) {
      if (refusalOf(error) === undefined) throw new Interrupted({ done, refused, deleted }, error);
      refused.push(refusedItem(item.id, error));
    }
  }
  return { done, refused, deleted };
}

/** A call for each item. No chain is deleted. */
function each(one: (id: string) => Promise<unknown>): Do {
  return async (items) => {
    for (const { id } of items) await one(id);
    return [];
  };
}

function doing(client: ErasedClient, request: CheckedRequest, { by, tx }: Doer): Do {
  const { reason } = request;
  const inTx = tx === undefined ? {} : { tx };
  if (isOnSchedules(request)) return each(async (id) => await performOnSchedule(client, request, { id, ...inTx }));
  if (isOnLimits(request)) return each(async (id) => await performOnLimit(client, request, { id, ...inTx }));
  return async (items) => {
    const ids = items.map(({ id }) => ({ id }));
    const typeNames = items.map(({ id }) => id);
    switch (request.action) {
      case "retry":
        await client.retryChains({ items, ...inTx });
        return [];
      case "trigger":
        await client.triggerJobs({ items: ids, ...inTx });
        return [];
      case "cancel":
        await client.cancelChains({ items: ids.map((item) => ({ ...item, reason })), ...inTx });
        return [];
      case "delete":
        return await client.deleteChains({ items: ids, cascade: request.cascade, ...inTx });
      case "pause":
        await client.pauseJobTypes({ typeNames, reason, by, ...inTx });
        return [];
      case "resume":
        await client.resumeJobTypes({ typeNames, ...inTx });
        return [];
      case "send-signal":
        await client.signalChains({ items: ids.map((item) => ({ ...item, ...request.signal })), ...inTx });
        return [];
    }
  };
}

/** The item that the store refused, if the error names it. */
function culpritOf(error: unknown, items: readonly ErasedRetry[]): string | undefined {
  if (refusalOf(error) === undefined) throw error;
  const id = isChainwrightError(error) ? error.details["id"] : undefined;
  return items.find((item) => item.id === id)?.id;
}

/** Rethrows every error that is not a refusal, because it does not concern a single item. */
export function refusedItem(id: string, error: unknown): Refused {
  const refusal = refusalOf(error);
  if (refusal === undefined) throw error;
  return { id, code: refusal.code, message: refusal.message };
}

/** The outcome for each id, in the order of the request. */
export function resultsOf(ids: readonly string[], { refused }: Performed): readonly ActionResult[] {
  const refusals = new Map(refused.map((item) => [item.id, item]));
  return ids.map((id) => {
    const refusal = refusals.get(id);
    return refusal === undefined ? { id, ok: true } : { ...refusal, ok: false };
  });
}
