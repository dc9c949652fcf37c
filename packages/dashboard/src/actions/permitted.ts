import type { Context } from "../context.ts";
import { Refusal } from "../http/refusal.ts";
import type { ActionTarget, Principal } from "../options.ts";
import { mayDo } from "../roles.ts";
import type { Refused } from "./perform.ts";
import { isOnChains, type CheckedRequest } from "./request.ts";

/** The part of a request that a principal may have done. */
interface Permitted {
  readonly request: CheckedRequest;
  readonly refused: readonly Refused[];
}

/** Refuses an action that the principal's role or rights exclude, and leaves out the targets that are not theirs to act on. */
export async function permittedPart(
  context: Pick<Context, "client">,
  principal: Principal,
  request: CheckedRequest,
): Promise<Permitted> {
  const { mayActOn, mayEditInputs = true } = principal;
  if (!mayDo(principal, request.action)) {
    throw new Refusal(403, "forbidden", `Your role does not permit the action ${request.action}.`);
  }
  if (!mayEditInputs && isOnChains(request) && request.edit !== undefined) {
    throw new Refusal(403, "forbidden", "Your role does not permit to edit inputs.");
  }
  if (mayActOn === undefined) return { request, refused: [] };
  const targets = await targetsOf(context, request);
  const isPermitted = (id: string): boolean => {
    const target = targets.get(id);
    // What does not exist is refused later, with its own reason. Limits and schedules have no chain.
    return target === undefined || mayActOn(target);
  };
  return {
    request: { ...request, ids: request.ids.filter(isPermitted) },
    refused: request.ids
      .filter((id) => !isPermitted(id))
      .map((id) => ({ id, code: "forbidden", message: "You may not act on this." })),
  };
}

async function targetsOf(
  { client }: Pick<Context, "client">,
  { action, ids }: CheckedRequest,
): Promise<ReadonlyMap<string, ActionTarget>> {
  if (action === "pause" || action === "resume") return new Map(ids.map((id) => [id, { typeName: id, tags: {} }]));
  if (action === "trigger") {
    const { items } = await client.listJobs({ ids, limit: ids.length, mostPayloadBytes: 0 });
    const targets = await chainTargets(client, [...new Set(items.map(({ chainId }) => chainId))]);
    return new Map(items.flatMap(({ id, chainId }) => onlyKnown(id, targets.get(chainId))));
  }
  const isOnOneChain = ["retry", "cancel", "delete", "send-signal"].includes(action);
  return isOnOneChain ? await chainTargets(client, ids) : new Map();
}

async function chainTargets(
  client: Context["client"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, ActionTarget>> {
  if (ids.length === 0) return new Map();
  const { items } = await client.listChains({ ids, limit: ids.length, mostPayloadBytes: 0 });
  return new Map(items.map(({ id, typeName, tags }) => [id, { typeName, tags }]));
}

function onlyKnown(id: string, target: ActionTarget | undefined): readonly (readonly [string, ActionTarget])[] {
  return target === undefined ? [] : [[id, target]];
}
