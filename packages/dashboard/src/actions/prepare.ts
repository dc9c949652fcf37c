import type { Context } from "../context.ts";
import type { ErasedRetry } from "chainwright/adapter";
import { Refusal } from "../http/refusal.ts";
import { lastStepOf } from "../views.ts";
import { edited } from "./edit.ts";
import { refusedItem, type Refused } from "./perform.ts";
import { isOnChains, type CheckedRequest } from "./request.ts";

/** The items of an action, and those that are refused without trying. */
export interface Prepared {
  readonly items: readonly ErasedRetry[];
  readonly refused: readonly Refused[];
  /** The first inputs that would change. */
  readonly changes: readonly InputChange[];
}

export interface InputChange {
  readonly id: string;
  readonly typeName: string;
  readonly before: unknown;
  readonly after: unknown;
}

const mostShown = 5;
const atATime = 20;

export async function prepare({ client }: Pick<Context, "client">, request: CheckedRequest): Promise<Prepared> {
  if (!isOnChains(request)) return { items: request.ids.map((id) => ({ id })), refused: [], changes: [] };
  const { ids, typeName, edit, action } = request;
  if (edit === undefined) return { items: ids.map((id) => ({ id, typeName })), refused: [], changes: [] };
  if (action !== "retry") throw new Refusal(400, "invalid-request", "Only a retry takes an edit.");
  const items: ErasedRetry[] = [];
  const refused: Refused[] = [];
  const changes: InputChange[] = [];
  const change = async (id: string): Promise<void> => {
    try {
      const step = await lastStepOf(client, id);
      if (step === undefined) throw new Refusal(404, "chain-not-found", `There is no chain ${id}.`);
      if (typeName !== undefined && step.typeName !== typeName) {
        throw new Refusal(409, "job-type-mismatch", `Chain ${id} stopped at a step of another type.`);
      }
      const after = edited(step.input, edit);
      items.push({ id, typeName: step.typeName, input: after });
      if (changes.length < mostShown) changes.push({ id, typeName: step.typeName, before: step.input, after });
    } catch (error) {
      refused.push(refusedItem(id, error));
    }
  };
  for (let from = 0; from < ids.length; from += atATime) {
    await Promise.all(ids.slice(from, from + atATime).map(change));
  }
  return { items, refused, changes };
}
