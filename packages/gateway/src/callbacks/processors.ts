import {
  ChainwrightError,
  createProcessors,
  type AnyClient,
  type Client,
  type Env,
  type Processors,
  type RetryOptions,
  type TypesOf,
} from "chainwright";
import { checkInteger, checkKeys, isErasedClient } from "chainwright/adapter";
import { createDelivery, type CallbackReceiver } from "./deliver.ts";
import { stoppedEndOf } from "./event.ts";
import { callbackJobTypes, callbackName, deliveryName, stoppedCallbackName } from "./job-types.ts";
import { checkRules, type CallbackRules } from "./rules.ts";
import { checkSecrets } from "./sign.ts";

/**
 * The options of `createCallbackProcessors`.
 *
 * @example
 * const options: CallbackOptions = { client, hosts: ["hooks.example.com"], secrets: [createCallbackSecret()] };
 */
export interface CallbackOptions extends CallbackRules {
  /** A client with `callbackJobTypes` among its job types. */
  readonly client: AnyClient;
  /**
   * Secrets of the receivers, or a function that finds those of one. A message has a signature for each: to change a secret, give both until
   * the receiver has the new one. Without a secret the receiver is disabled: nothing is sent.
   */
  readonly secrets:
    | readonly string[]
    | ((receiver: CallbackReceiver) => readonly string[] | undefined | Promise<readonly string[] | undefined>);
  /** Called when a receiver replies 410: it wants nothing more. From now on find no secrets for it. If it throws, the attempt failed. */
  readonly onGone?: ((receiver: CallbackReceiver) => void | Promise<void>) | undefined;
  /** Default: 12 attempts, the first retry after 5 s, then 4 times as long each time, at most 12 h: about 3 days. */
  readonly retry?: RetryOptions | undefined;
  /** How long a receiver may take until its response begins. Default: 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Larger messages are sent without the output, with `isTruncated`. Default: 262,144. */
  readonly bodyBytes?: number | undefined;
}

const optionKeys = {
  client: true,
  hosts: true,
  allowHttp: true,
  allowPrivate: true,
  secrets: true,
  onGone: true,
  retry: true,
  timeoutMs: true,
  bodyBytes: true,
} satisfies Record<keyof CallbackOptions, true>;

const usualRetry: RetryOptions = {
  maxAttempts: 12,
  backoff: { initialMs: 5_000, multiplier: 4, maxMs: 12 * 3_600_000, jitter: 0.2 },
};
/** The chain was retried before its end could be told: it is looked at again. */
const stillActiveMs = 60_000;

/**
 * The processors that deliver callbacks, for any worker.
 *
 * @throws ChainwrightError `invalid-input` for unknown or invalid options
 * @example
 * const callbacks = createCallbackProcessors({ client, hosts: ["hooks.example.com"], secrets: [secret] });
 * const worker = createWorker({ client, processors: [orderProcessors, callbacks] });
 */
export function createCallbackProcessors(options: CallbackOptions): Processors {
  checkKeys(options, optionKeys, "createCallbackProcessors");
  const { client, secrets, timeoutMs = 10_000, bodyBytes = 262_144, retry = usualRetry, onGone } = options;
  if (!isCallbackClient(client)) throw invalid("client must be a value that createClient returned.");
  checkRules(options);
  if (typeof secrets !== "function") checkSecrets(secrets);
  checkInteger(timeoutMs, "timeoutMs", { min: 1, max: 600_000 });
  checkInteger(bodyBytes, "bodyBytes", { min: 1_024, max: 2 ** 30 });
  const secretsOf = typeof secrets === "function" ? secrets : () => secrets;

  const deliver = createDelivery({ client, secretsOf, onGone, timeoutMs, bodyBytes, rules: options });

  return createProcessors({
    client,
    jobTypes: callbackJobTypes,
    processors: {
      [callbackName]: async ({ job, complete }) =>
        await complete(async ({ tx }) => {
          const input = { ...job.input, eventId: job.chainId };
          const { id } = await client.startChain({ tx, typeName: deliveryName, input });
          return { deliveryId: id };
        }),
      [stoppedCallbackName]: async ({ job: { input }, continueWith, reschedule }) => {
        // The callback itself was cancelled: no one is told.
        if (input.error?.name !== "blocker-failed") return null;
        const callback = input.chain.input;
        const chain = await client.getChain({ id: callback.chainId });
        if (chain === undefined) return null;
        // It was retried in the same moment: its next end is told.
        if (chain.status === "active") return reschedule({ afterMs: stillActiveMs });
        const stopped = chain.status === "completed" ? undefined : stoppedEndOf(chain);
        return continueWith({ typeName: deliveryName, input: { ...callback, eventId: input.chain.id, stopped } });
      },
      [deliveryName]: { retry, handler: async ({ job, signal }) => await deliver(job.input, signal) },
    },
  });
}

/** Its slice is checked by `createProcessors`. */
function isCallbackClient(client: unknown): client is Client<Env<TypesOf<typeof callbackJobTypes>, unknown>> {
  return isErasedClient(client);
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
