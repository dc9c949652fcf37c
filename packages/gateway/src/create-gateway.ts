import { ChainwrightError } from "chainwright";
import { checkInteger, checkKeys, isErasedClient } from "chainwright/adapter";
import { callbackName } from "./callbacks/job-types.ts";
import { checkRules, type CallbackRules } from "./callbacks/rules.ts";
import { createRemote, definitionsOf } from "chainwright/remote";
import type { Context } from "./context.ts";
import { createHandler } from "./handler.ts";
import { callOfRequest, responseOf } from "./http/fetch.ts";
import type { Call, Reply } from "./http/message.ts";
import { checkBasePath } from "./http/base-path.ts";
import { createBurst } from "./http/burst.ts";
import { createCallers } from "./keys.ts";
import { logFailure } from "./log-failure.ts";
import type { GatewayFailure, GatewayLimits, GatewayOptions } from "./options.ts";
import { createParking } from "./parking.ts";
import { createTokens } from "./tokens.ts";

/**
 * A gateway: one function that handles requests.
 *
 * @example
 * const serve = ({ fetch }: Gateway) => app.all("/api/*", ({ req }) => fetch(req.raw));
 */
export interface Gateway extends AsyncDisposable {
  /** Needs no `this`, so it can be passed around. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same without objects of the web, for servers on node:http. */
  readonly handle: (call: Call) => Promise<Reply>;
  readonly basePath: string;
  /** How many requests wait for jobs. */
  parked(): number;
  /** Ends all waits, and hands in what is under way. Later requests get 503. Call it before `client.close()`. */
  close(): Promise<void>;
}

const optionKeys = {
  client: true,
  basePath: true,
  keys: true,
  tokenSecrets: true,
  elsewhere: true,
  audit: true,
  onError: true,
  limits: true,
  name: true,
  schedules: true,
  callbacks: true,
} satisfies Record<keyof GatewayOptions, true>;
const limitKeys = { bodyBytes: true, bodyMs: true, parkedPerKey: true, parked: true } satisfies Record<
  keyof GatewayLimits,
  true
>;
const defaults = { bodyBytes: 16 * 1_048_576, bodyMs: 30_000, parkedPerKey: 256, parked: 10_000 };
const shortestSecret = 32;

/**
 * Creates a gateway to a client's chains. Mount it in any framework that uses the web's `Request` and `Response`; for node:http, use
 * `createNodeServer` or `createNodeListener` of `@chainwright/gateway/node`. It begins to work with the first request.
 *
 * @throws ChainwrightError `invalid-input` for unknown or invalid options
 * @example
 * const { secret, key } = createGatewayKey({ name: "resizer", scopes: [{ types: ["image.*"], verbs: ["start", "work"] }] });
 * const gateway = createGateway({ client, keys: [key], tokenSecrets: ["a secret of at least 32 characters"] });
 * app.all("/*", (context) => gateway.fetch(context.req.raw)); // Hono
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { client, keys, tokenSecrets, elsewhere, audit = () => undefined, onError = logFailure } = checked(options);
  if (!isErasedClient(client)) throw invalid("client must be a value that createClient returned.");
  const basePath = checkBasePath(options.basePath ?? "/");
  const { bodyBytes, bodyMs, parkedPerKey, parked } = limitsOf(options.limits);
  const { name = "gateway", schedules, callbacks } = options;
  const definitions = definitionsOf(client);
  if (callbacks !== undefined) checkCallbacks(callbacks, definitions);
  const remote = createRemote({ client, elsewhere, name, schedules });
  const context: Context = {
    client,
    remote,
    definitions,
    tokens: createTokens(tokenSecrets),
    parking: createParking({ perKey: parkedPerKey, most: parked }),
    bodyLimits: { bytes: bodyBytes, ms: bodyMs },
    endOfBurst: createBurst(),
    callbackRules: callbacks,
    audit,
  };
  const failure = (error: unknown, { method, path }: Pick<Call, "method" | "path">): string => {
    const id = crypto.randomUUID();
    tellSafely(onError, { id, error, method, path });
    return id;
  };
  let isClosed = false;
  const handle = createHandler(context, { findCaller: createCallers(keys), failure, isClosed: () => isClosed });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    isClosed = true;
    return (closing ??= remote.stop());
  };
  return {
    fetch: async (request) => responseOf(request, await handle(callOfRequest(request, basePath))),
    handle,
    basePath,
    parked: remote.parked,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A failing log must not change the response. */
function tellSafely(onError: (failure: GatewayFailure) => void, failure: GatewayFailure): void {
  try {
    onError(failure);
  } catch {
    // A failing log must not change the response.
  }
}

function checked(options: GatewayOptions): GatewayOptions {
  checkKeys(options, optionKeys, "createGateway");
  const { keys, tokenSecrets } = options;
  if (typeof keys !== "function" && !Array.isArray(keys))
    throw invalid("keys must be an array of keys, or a function that finds one by its hash.");
  const isLong = (secret: unknown): boolean => typeof secret === "string" && secret.length >= shortestSecret;
  if (!Array.isArray(tokenSecrets) || tokenSecrets.length === 0 || !tokenSecrets.every(isLong))
    throw invalid(`tokenSecrets must be an array of texts of at least ${shortestSecret} characters.`);
  return options;
}

/** Callbacks that no worker could deliver are refused before one is asked for. */
function checkCallbacks(rules: CallbackRules, definitions: ReadonlyMap<string, unknown>): void {
  checkRules(rules);
  if (definitions.has(callbackName)) return;
  throw invalid("callbacks needs callbackJobTypes of @chainwright/gateway/callbacks among the jobTypes of the client.");
}

function limitsOf(given: GatewayLimits = {}) {
  checkKeys(given, limitKeys, "limits");
  const of = (key: keyof GatewayLimits): number =>
    checkInteger(given[key] ?? defaults[key], key, { min: 1, max: 2 ** 31 - 1 });
  return { bodyBytes: of("bodyBytes"), bodyMs: of("bodyMs"), parkedPerKey: of("parkedPerKey"), parked: of("parked") };
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
