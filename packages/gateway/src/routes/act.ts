import type { Asked, Context } from "../context.ts";
import { readBodyOf } from "../context.ts";
import { json, type Reply } from "../http/message.ts";
import { Refusal } from "../http/refusal.ts";
import type { GatewayAuditEntry } from "../options.ts";
import { bodies } from "../schemas.ts";
import { chainFor } from "./read.ts";
import { signalOf } from "./starts.ts";

/** Cancels a chain. */
export async function cancel(context: Context, asked: Asked): Promise<Reply> {
  const { reason } = await readBodyOf(context, asked.call, bodies.cancel);
  const { id } = asked;
  await tell(context, asked, "cancel");
  const { cancelled } = await context.client.cancelChain({ id, reason });
  return json({ id, cancelled });
}

/** Retries a failed or cancelled chain. */
export async function retry(context: Context, asked: Asked): Promise<Reply> {
  const options = await readBodyOf(context, asked.call, bodies.retry);
  const { id } = asked;
  await tell(context, asked, "retry");
  await context.client.retryChain({ id, ...options });
  return json({ id });
}

/** Makes the open step of a chain ready, if it is scheduled. */
export async function trigger(context: Context, asked: Asked): Promise<Reply> {
  await readBodyOf(context, asked.call, bodies.trigger);
  const { id } = asked;
  await tell(context, asked, "trigger");
  const { items } = await context.client.listChainJobs({ id, order: "newest", limit: 1 });
  const [open] = items;
  if (open === undefined || open.endedAt !== undefined)
    throw new Refusal(409, "chain-not-active", `Chain ${id} has no open step.`);
  await context.client.triggerJob({ id: open.id });
  return json({ id });
}

/** Sends a signal to a chain. */
export async function signal(context: Context, asked: Asked): Promise<Reply> {
  const sent = await readBodyOf(context, asked.call, bodies.signal);
  const { id, caller } = asked;
  await chainFor(context, asked, "start");
  const { delivered } = await context.client.signalChain({ id, ...signalOf(caller, sent) });
  return json({ delivered });
}

/** Checks the right and tells the audit, before anything is changed. */
async function tell(context: Context, asked: Asked, action: GatewayAuditEntry["action"]): Promise<void> {
  const { typeName } = await chainFor(context, asked, "admin");
  context.audit({ key: asked.caller.name, action, chainId: asked.id, typeName });
}
