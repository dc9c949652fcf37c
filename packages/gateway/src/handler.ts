import { ChainwrightError } from "chainwright";
import type { Asked, Context } from "./context.ts";
import { json, type Call, type Reply } from "./http/message.ts";
import { Refusal, refusalOf } from "./http/refusal.ts";
import type { FindCaller } from "./keys.ts";
import { openApiDocument } from "./openapi.ts";
import { cancel, retry, signal, trigger } from "./routes/act.ts";
import { exchange } from "./routes/exchange.ts";
import { health } from "./routes/health.ts";
import { leases } from "./routes/leases.ts";
import { read } from "./routes/read.ts";
import { start } from "./routes/start.ts";
import type { RouteName } from "./routes/table.ts";
import { types } from "./routes/types.ts";

interface HandlerOptions {
  readonly findCaller: FindCaller;
  /** Reports a failure and returns its id. */
  readonly failure: (error: unknown, call: Pick<Call, "method" | "path">) => string;
  readonly isClosed: () => boolean;
}

type Endpoint = (context: Context, asked: Asked) => Reply | Promise<Reply>;

const endpoints: Readonly<Record<Exclude<RouteName, "health">, Endpoint>> = {
  start,
  read,
  exchange,
  leases,
  cancel,
  retry,
  trigger,
  signal,
  types,
};

const fixed: ReadonlyMap<string, Endpoint> = new Map([
  ["POST /v1/chains", endpoints.start],
  ["POST /v1/exchange", endpoints.exchange],
  ["POST /v1/leases", endpoints.leases],
  ["GET /v1/types", endpoints.types],
]);
const ofChain: ReadonlyMap<string, Endpoint> = new Map([
  ["GET", endpoints.read],
  ["POST cancel", endpoints.cancel],
  ["POST retry", endpoints.retry],
  ["POST trigger", endpoints.trigger],
  ["POST signal", endpoints.signal],
]);
const chainPath = /^\/v1\/chains\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\/([a-z]+))?$/i;
const longestPath = 1_000;

/** Handles requests. Never rejects. */
export function createHandler(context: Context, { findCaller, failure, isClosed }: HandlerOptions) {
  let started: Promise<void> | undefined;
  let openApi: string | undefined;

  const handle = async (call: Call): Promise<Reply> => {
    const { method, path } = call;
    if (path.length > longestPath) throw new Refusal(414, "invalid-request", "The address is too long.");
    if (path === "/openapi.json" && method === "GET")
      return { status: 200, body: (openApi ??= JSON.stringify(openApiDocument())) };
    if (isClosed()) throw new ChainwrightError("closed", "the gateway is closed.");
    if (path === "/healthz" && method === "GET") return await health(context);
    // Whether a path exists is told to those with a key only.
    const caller = await findCaller(call.header("authorization"));
    const { endpoint, id } = endpointOf(method, path);
    await (started ??= context.remote.start().catch((error: unknown) => {
      started = undefined;
      throw error;
    }));
    return await endpoint(context, { call, caller, id });
  };

  return async (call: Call): Promise<Reply> => {
    try {
      return await handle(call);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) return refused(refusal);
      const id = failure(error, { method: call.method, path: call.path.slice(0, longestPath) });
      return json({ error: { code: "internal", message: "Something went wrong. See the server log.", id } }, 500);
    }
  };
}

function endpointOf(method: string, path: string): { readonly endpoint: Endpoint; readonly id: string } {
  const endpoint = fixed.get(`${method} ${path}`);
  if (endpoint !== undefined) return { endpoint, id: "" };
  const [, id, action] = chainPath.exec(path) ?? [];
  const found = id === undefined ? undefined : ofChain.get(action === undefined ? method : `${method} ${action}`);
  if (found !== undefined && id !== undefined) return { endpoint: found, id: id.toLowerCase() };
  throw new Refusal(404, "not-found", "There is no such address, or not with this method.");
}

function refused({ status, code, message, details }: Refusal): Reply {
  const waits = status === 503 || status === 429 ? { "retry-after": "1" } : undefined;
  return json({ error: details === undefined ? { code, message } : { code, message, details } }, status, waits);
}
