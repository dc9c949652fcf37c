import type { AnyClient } from "chainwright";
import type { ElsewhereOptions } from "chainwright/remote";
import type { CallbackRules } from "./callbacks/rules.ts";

/**
 * What a key may do: `start` chains and send signals, `work` on jobs, `read` chains, and `admin`: cancel, retry, trigger.
 *
 * @example
 * const verbs: readonly GatewayVerb[] = ["start", "read"];
 */
export type GatewayVerb = "start" | "work" | "read" | "admin";

/**
 * Rights to some job types.
 *
 * @example
 * const resizing: GatewayScope = { types: ["image.*"], verbs: ["start", "work"] };
 */
export interface GatewayScope {
  /** Names, or prefixes that end with `*`. */
  readonly types: readonly string[];
  readonly verbs: readonly GatewayVerb[];
}

/**
 * A key as the gateway knows it: without the secret.
 *
 * @example
 * const key: GatewayKey = { name: "resizer", hash: hashKey("cwk_7f3a"), scopes: [{ types: ["image.*"], verbs: ["work"] }] };
 */
export interface GatewayKey {
  /** For the audit. Idempotency keys of two names are apart. */
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal digits: see `hashKey`. */
  readonly hash: string;
  readonly scopes: readonly GatewayScope[];
}

/**
 * The keys: a list, or a function that finds one by its hash.
 *
 * @example
 * const known = new Map([[key.hash, key]]);
 * const keys: GatewayKeys = async (hash) => known.get(hash);
 */
export type GatewayKeys =
  | readonly GatewayKey[]
  | ((hash: string) => GatewayKey | undefined | Promise<GatewayKey | undefined>);

/** A call that changed chains, for the audit. */
export interface GatewayAuditEntry {
  /** The name of the key. */
  readonly key: string;
  readonly action: "cancel" | "retry" | "trigger";
  readonly chainId: string;
  readonly typeName: string;
}

/** A failure of the gateway itself, for the log. */
export interface GatewayFailure {
  /** In the response, so that it can be found in the log. */
  readonly id: string;
  readonly error: unknown;
  readonly method: string;
  readonly path: string;
}

/**
 * The limits of requests.
 *
 * @example
 * const small: GatewayLimits = { parkedPerKey: 16, bodyBytes: 1_048_576 };
 */
export interface GatewayLimits {
  /** Default: 16 MiB. */
  readonly bodyBytes?: number | undefined;
  /** How long a body may take to arrive. Default: 30 s. */
  readonly bodyMs?: number | undefined;
  /** The most requests of a key that wait. Default: 256. */
  readonly parkedPerKey?: number | undefined;
  /** The most requests that wait. Default: 10,000. */
  readonly parked?: number | undefined;
}

/**
 * The options of `createGateway`.
 *
 * @example
 * const options: GatewayOptions = { client, keys: [key], tokenSecrets: ["a secret of at least 32 characters"] };
 */
export interface GatewayOptions {
  /** A client of the job types. */
  readonly client: AnyClient;
  /** Where it is mounted. Default: `/`. */
  readonly basePath?: string | undefined;
  readonly keys: GatewayKeys;
  /**
   * Secrets of at least 32 characters. The first signs tokens, all of them verify: to change one, put the new one first and remove the
   * old one when no lease of it is left. All gateways of a store need the same.
   */
  readonly tokenSecrets: readonly string[];
  /** Retries and longest leases of the types whose workers are elsewhere, by name. */
  readonly elsewhere?: Readonly<Record<string, ElsewhereOptions>> | undefined;
  /** Is told of each call that cancels, retries or triggers. */
  readonly audit?: ((entry: GatewayAuditEntry) => void) | undefined;
  /** Is told of failures of the gateway itself. Default: `console.error`. */
  readonly onError?: ((failure: GatewayFailure) => void) | undefined;
  readonly limits?: GatewayLimits | undefined;
  /** Shown where workers are listed. Default: `gateway`. */
  readonly name?: string | undefined;
  /**
   * Where starts may have callbacks to. The client needs `callbackJobTypes`, and a worker `createCallbackProcessors`, both of
   * `@chainwright/gateway/callbacks`. Default: starts have none.
   */
  readonly callbacks?: CallbackRules | undefined;
  /** Whether it writes the ticks of recurring schedules, as a worker does. Default: true. */
  readonly schedules?: boolean | undefined;
}
