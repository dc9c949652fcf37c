import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ChainwrightError, type AnyClient, type ChainwrightErrorCode } from "chainwright";
import { createGateway } from "../../src/create-gateway.ts";
import { createGatewayKey } from "../../src/keys.ts";
import { createNodeListener } from "../../src/node.ts";
import type { GatewayOptions } from "../../src/options.ts";
import { reasons } from "./reasons.ts";
import { outOfReach, type CaseRun } from "./run-case.ts";

/** A served gateway, and requests to it. */
export interface Connection {
  /** Rejects with the library's error where the gateway refuses. */
  request(asked: Asked): Promise<Answer>;
  close(): Promise<void>;
}

interface Asked {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const tokenSecrets: readonly string[] = ["a secret of all the gateways of these cases"];
const { key, secret } = createGatewayKey({
  name: "owner",
  scopes: [{ types: ["*"], verbs: ["start", "work", "read", "admin"] }],
});

/** Serves a gateway of the client on a port of its own. */
export async function connect(
  run: CaseRun,
  client: AnyClient,
  options: Pick<GatewayOptions, "elsewhere" | "name" | "schedules">,
): Promise<Connection> {
  const failures: unknown[] = [];
  const gateway = createGateway({
    ...options,
    client,
    keys: [key],
    tokenSecrets,
    onError: ({ error }) => void failures.push(error),
  });
  const listener = createNodeListener(gateway);
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let isClosed = false;
  return {
    async request({ method = "POST", path, body, signal }) {
      run.requests += 1;
      const response = await fetchOpen(() => isClosed, `http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        ...(body !== undefined && { body: textOf(run, body) }),
        signal: signal === undefined ? run.ending.signal : AbortSignal.any([signal, run.ending.signal]),
      });
      const answer = { status: response.status, body: (await response.json()) as Answer["body"] };
      if (response.status >= 400 && "error" in answer.body) throw errorOf(answer, failures);
      return answer;
    },
    async close() {
      isClosed = true;
      await gateway.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A connection that was closed here ends its requests. */
async function fetchOpen(isClosed: () => boolean, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (!isClosed()) throw cause;
    throw new ChainwrightError("closed", "the client is closed.", { cause });
  }
}

/** JSON text that says the same as the value. */
function textOf(run: CaseRun, value: object): string {
  if (!isJson(value)) return outOfReach(run, reasons.notJson);
  return JSON.stringify(value);
}

/** Whether it is what a parser of JSON makes; a property of options that is undefined counts as absent. */
function isJson(value: unknown, around: readonly unknown[] = []): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || around.includes(value) || around.length > 1_000) return false;
  const isList = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (isList ? prototype !== Array.prototype : prototype !== Object.prototype) return false;
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  if (isList && properties.length !== value.length + 1) return false;
  return properties.every(([name, { enumerable, value: own, get }]) => {
    if (isList && name === "length") return true;
    const isAbsent = own === undefined && !isList && name !== "input" && name !== "payload";
    return get === undefined && enumerable === true && (isAbsent || isJson(own, [...around, value]));
  });
}

/** `invalid-request` says of a body what `invalid-input` says of options. */
function errorOf({ status, body: { error } }: Answer, failures: readonly unknown[]): Error {
  const { code, message, details } = error as { code: string; message: string; details?: Record<string, unknown> };
  if (status === 500) return new Error(message, { cause: failures.at(-1) });
  const ownCode = code === "invalid-request" ? "invalid-input" : code;
  return new ChainwrightError(ownCode as ChainwrightErrorCode, message, details === undefined ? {} : { details });
}
