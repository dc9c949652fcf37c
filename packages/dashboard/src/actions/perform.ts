import { isChainwrightError } from "chainwright";
import type { DashboardClient, RetryItem } from "../dashboard-client.ts";
import type { ActionResult } from "../protocol/actions.ts";
import { refusalOf } from "../http/refusal.ts";
import type { CheckedRequest } from "./request.ts";

/** What became of the items of an action. */
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

/** After so many refusals the rest is done one by one: each refusal costs another go at all that are left. */
const mostGoes = 10;

type Do = (items: readonly RetryItem[]) => Promise<readonly string[]>;

/**
 * Does an action to all items that it can be done to. Together, so that what hangs together is seen together (of two chains
 * where one failed because of the other, both can be retried); who is refused is left out and the others tried again.
 */
export async function perform(
  client: DashboardClient,
  request: CheckedRequest,
  items: readonly RetryItem[],
  tx?: unknown,
): Promise<Performed> {
  const run = doing(client, request, tx);
  const refused: Refused[] = [];
  let rest = items;
  while (rest.length > 0 && refused.length < mostGoes) {
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

async function oneByOne(run: Do, items: readonly RetryItem[], before: readonly Refused[]): Promise<Performed> {
  const done: string[] = [];
  const refused = [...before];
  const deleted: string[] = [];
  for (const item of items) {
    try {
      deleted.push(...(await run([item])));
      done.push(item.id);
    } catch (error) {
      refused.push(refusedItem(item.id, error));
    }
  }
  return { done, refused, deleted };
}

function doing(client: DashboardClient, { action, reason, cascade }: CheckedRequest, tx: unknown): Do {
  const inTx = tx === undefined ? {} : { tx };
  return async (items) => {
    const ids = items.map(({ id }) => ({ id }));
    switch (action) {
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
        return await client.deleteChains({ items: ids, cascade, ...inTx });
    }
  };
}

/** The item that the store refused, if it says so. */
function culpritOf(error: unknown, items: readonly RetryItem[]): string | undefined {
  if (refusalOf(error) === undefined) throw error;
  const id = isChainwrightError(error) ? error.details["id"] : undefined;
  return items.find((item) => item.id === id)?.id;
}

/** Anything but a refusal ends the whole: it is not about one item. */
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
