import type { Call, Context } from "../context.ts";
import type { Audit, AuditEntry } from "../options.ts";
import type { ActionResponse, ActResponse } from "../protocol/actions.ts";
import { readJson } from "../http/read-body.ts";
import { refusalOf } from "../http/refusal.ts";
import { Interrupted, perform, resultsOf, type Performed } from "./perform.ts";
import { permittedPart } from "./permitted.ts";
import { readOnlyRefusal } from "./read-only.ts";
import { prepare } from "./prepare.ts";
import { checkRequest, isOnChains, isOnLimits, type CheckedRequest } from "./request.ts";

/** How an attempt at an action ended. */
interface Attempt {
  readonly performed: Performed;
  /** Why nothing, or not all, was done: a refusal, or a failure of the store. */
  readonly error?: Error;
}

/** Performs an action and reports the attempt to the application's `audit`, however it ended. */
export async function act(context: Context, call: Call, audit: Audit | undefined): Promise<ActResponse> {
  const request = checkRequest(await readJson(call.request));
  const attempt = await tryTo(context, call, request);
  const isAudited = await tell(context, audit, entryOf(call, request, attempt));
  // One that failed may have changed a part.
  context.watch.lookSoon();
  if (attempt.error !== undefined) throw attempt.error;
  return { ...actionResponse(request, attempt.performed), isAudited };
}

async function tryTo(context: Context, { principal }: Call, request: CheckedRequest): Promise<Attempt> {
  try {
    const permitted = await permittedPart(context, principal, request);
    const prepared = await prepare(context, permitted.request);
    const performed = await perform(context.client, permitted.request, prepared.items, { by: principal.name });
    const refused = [...permitted.refused, ...prepared.refused, ...performed.refused];
    return { performed: { ...performed, refused } };
  } catch (thrown) {
    const error = readOnlyRefusal(thrown) ?? thrown;
    return {
      performed: performedBefore(error, request),
      error: error instanceof Error ? error : new Error("a value that is not an error was thrown", { cause: error }),
    };
  }
}

function performedBefore(error: unknown, { ids }: CheckedRequest): Performed {
  if (error instanceof Interrupted) return error.performed;
  const code = refusalOf(error)?.code;
  return { done: [], refused: code === undefined ? [] : ids.map((id) => ({ id, code, message: "" })), deleted: [] };
}

/** Returns whether the entry was taken. What is done is done, so an audit that fails does not make it an error. */
async function tell({ onFailure }: Context, audit: Audit | undefined, entry: AuditEntry): Promise<boolean> {
  try {
    await audit?.(entry);
    return true;
  } catch (error) {
    onFailure(error, "audit");
    return false;
  }
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

function entryOf(
  { request: raw, principal }: Call,
  request: CheckedRequest,
  { performed, error }: Attempt,
): AuditEntry {
  return {
    at: new Date(),
    role: principal.role,
    name: principal.name,
    action: request.action,
    ids: request.ids,
    reason: request.reason,
    cascade: isOnChains(request) && request.cascade === true,
    edit: isOnChains(request) ? request.edit : undefined,
    times: request.action === "edit-schedule" ? request.times : undefined,
    change: isOnLimits(request) ? request.change : undefined,
    signal: request.action === "send-signal" ? request.signal : undefined,
    done: [...new Set([...performed.done, ...performed.deleted])],
    refused: performed.refused.map(({ id, code }) => ({ id, code })),
    failed: error !== undefined && refusalOf(error) === undefined,
    request: raw,
  };
}
