import { ChainwrightError, type AnyClient } from "chainwright";
import { checkKeys, isErasedClient, type ErasedStart } from "chainwright/adapter";
import type { CallbackFormat } from "./event.ts";
import { callbackName, stoppedCallbackName, type CallbackInput } from "./job-types.ts";

/**
 * The options of `addCallback`.
 *
 * @example
 * const options: AddCallbackOptions = { client, chain, url: "https://hooks.example.com/orders", by: "tenant-7" };
 */
export interface AddCallbackOptions {
  /** A client with `callbackJobTypes` among its job types. */
  readonly client: AnyClient;
  readonly chain: { readonly id: string; readonly typeName: string };
  readonly url: string;
  /** Default: `json`. */
  readonly format?: CallbackFormat | undefined;
  /** For the function that finds secrets: for example the tenant. */
  readonly by?: string | undefined;
  /** The transaction in which the chain was started: then none is without its callback. */
  readonly tx?: unknown;
}

const optionKeys = {
  client: true,
  chain: true,
  url: true,
  format: true,
  by: true,
  tx: true,
} satisfies Record<keyof AddCallbackOptions, true>;

/**
 * Has a URL told of the end of a chain, once for each URL. Returns the id of the callback, which is a chain as well.
 *
 * @throws ChainwrightError `chain-not-found`; `unknown-job-type` if the client lacks `callbackJobTypes`
 * @example
 * await client.transaction(async (tx) => {
 *   const chain = await client.startChain({ tx, typeName: "order.place", input: { orderId } });
 *   await addCallback({ client, tx, chain, url: "https://hooks.example.com/orders" });
 * });
 */
export async function addCallback(options: AddCallbackOptions): Promise<string> {
  checkKeys(options, optionKeys, "addCallback");
  const { client, chain, url, format, by, tx } = options;
  if (!isErasedClient(client))
    throw new ChainwrightError("invalid-input", "client must be a value that createClient returned.");
  const [started] = await client.startChains({ tx, items: [callbackStart({ chain, url, format, by })] });
  if (started === undefined) throw new TypeError("startChains must return a chain for each start; got none.");
  return started.id;
}

/** The start of a callback: one for each chain and URL. */
export function callbackStart({
  chain: { id: chainId, typeName },
  url,
  format = "json",
  by,
}: Pick<AddCallbackOptions, "chain" | "url" | "format" | "by">): ErasedStart {
  const input: CallbackInput = { chainId, typeName, url, format, ...(by !== undefined && { by }) };
  return {
    typeName: callbackName,
    input,
    blockers: [{ id: chainId, typeName }],
    whenStopped: stoppedCallbackName,
    deduplication: { key: `${callbackName}:${chainId}:${url}`, scope: "any" },
  };
}
