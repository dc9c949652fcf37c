import type { Call, Context } from "../context.ts";
import type { Audit } from "../options.ts";
import type { ActionResponse } from "../protocol/actions.ts";
import { readJson } from "../http/read-body.ts";
import { Refusal } from "../http/refusal.ts";
import { mayDo } from "../roles.ts";
import { perform, resultsOf, type Performed } from "./perform.ts";
import { prepare } from "./prepare.ts";
import { checkRequest, isOnChains, isOnLimits, type CheckedRequest } from "./request.ts";

/** Performs an action and reports its outcome to the application's `audit`. */
export async function act(context: Context, call: Call, audit: Audit | undefined): Promise<ActionResponse> {
  const request = checkRequest(await readJson(call.request));
  const report = async (performed: Performed): Promise<void> => await audit?.(entryOf(call, request, performed));
  if (!mayDo(call.principal.role, request.action)) {
    const refusal = refusalFor(request);
    await report({
      done: [],
      refused: request.ids.map((id) => ({ id, code: refusal.code, message: "" })),
      deleted: [],
    });
    throw refusal;
  }
  const prepared = await prepare(context, request);
  const performed = await perform(context.client, request, prepared.items, { by: call.principal.name });
  const outcome = { ...performed, refused: [...prepared.refused, ...performed.refused] };
  await report(outcome);
  context.watch.lookSoon();
  return actionResponse(request, outcome);
}

export function refusalFor({ action }: CheckedRequest): Refusal {
  return new Refusal(403, "forbidden", `Your role does not permit the action ${action}.`);
}

export function actionResponse(request: CheckedRequest, performed: Performed): ActionResponse {
  return {
    action: request.action,
    done: performed.done.length,
    refused: performed.refused.length,
    results: resultsOf(request.ids, performed),
    deleted: performed.deleted,
  };
}

function entryOf({ request: raw, principal }: Call, request: CheckedRequest, performed: Performed) {
  return {
    at: new Date(),
    role: principal.role,
    name: principal.name,
    action: request.action,
    ids: request.ids,
    reason: request.reason,
    cascade: isOnChains(request) && request.cascade === true,
    edited: request.action === "edit-schedule" || (isOnChains(request) && request.edit !== undefined),
    change: isOnLimits(request) ? request.change : undefined,
    signal: request.action === "send-signal" ? request.signal : undefined,
    done: [...new Set([...performed.done, ...performed.deleted])],
    refused: performed.refused.map(({ id, code }) => ({ id, code })),
    request: raw,
  };
}
