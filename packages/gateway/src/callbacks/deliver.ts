import type { AnyClient } from "chainwright";
import { bodyOf, type ChainEnd } from "./event.ts";
import type { CallbackResult, DeliveryInput } from "./job-types.ts";
import { post } from "./post.ts";
import type { CallbackRules } from "./rules.ts";
import { checkSecrets, signedHeaders } from "./sign.ts";

/** To whom a callback goes. */
export interface CallbackReceiver {
  readonly url: string;
  /** Of the chain. */
  readonly typeName: string;
  /** Who asked for the callback: the name of a key of the gateway, or what `addCallback` was given. */
  readonly by: string | undefined;
}

interface DeliveryOptions {
  readonly client: AnyClient;
  readonly secretsOf: (
    receiver: CallbackReceiver,
  ) => readonly string[] | undefined | Promise<readonly string[] | undefined>;
  readonly onGone: ((receiver: CallbackReceiver) => void | Promise<void>) | undefined;
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly rules: CallbackRules;
}

const gone = 410;

/** Returns what makes one attempt to tell a receiver. It throws if there is to be another. */
export function createDelivery({ client, secretsOf, onGone, timeoutMs, bodyBytes, rules }: DeliveryOptions) {
  return async (delivery: DeliveryInput, signal: AbortSignal): Promise<CallbackResult> => {
    const { eventId: id, url, typeName, by, format } = delivery;
    const receiver: CallbackReceiver = { url, typeName, by };
    const secrets = (await secretsOf(receiver)) ?? [];
    if (secrets.length === 0) return { result: "disabled" };
    checkSecrets(secrets);
    const end = await endOf(client, delivery);
    if (end === undefined) return { result: "deleted" };
    const { contentType, text } = bodyOf(end, { id, format, mostBytes: bodyBytes });
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = { "content-type": contentType, ...signedHeaders({ id, timestamp, body: text }, secrets) };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const status = await post({ url, headers, body: text, rules, signal: limit });
    if (status >= 200 && status < 300) return { result: "delivered", status };
    if (status !== gone) throw new Error(`The receiver replied ${status}.`);
    await onGone?.(receiver);
    return { result: "gone", status };
  };
}

/** A completed chain is read, because it does not change; how one has stopped comes with the delivery. */
async function endOf(client: AnyClient, { chainId, typeName, stopped }: DeliveryInput): Promise<ChainEnd | undefined> {
  if (stopped !== undefined) {
    const { status, endedAt, ...result } = stopped;
    return { chainId, typeName, status, endedAt, result };
  }
  const chain = await client.getChain({ id: chainId });
  if (chain?.status !== "completed") return undefined;
  const { status, endedAt, output } = chain;
  return { chainId, typeName, status, endedAt: endedAt.toISOString(), result: { output } };
}
