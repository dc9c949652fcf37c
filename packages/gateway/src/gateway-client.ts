import type { AnyClient, Chain } from "chainwright";

/** The calls that the gateway needs in addition to those of `AnyClient`, with erased types. */
export interface GatewayClient extends AnyClient {
  startChains(options: { readonly items: readonly object[]; readonly tx?: unknown }): Promise<readonly StartedChain[]>;
  transaction<T>(run: (tx: unknown) => Promise<T>): Promise<T>;
  awaitChain(
    chain: { readonly id: string },
    wait: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<Chain>;
  retryChain(options: {
    readonly id: string;
    readonly typeName?: string | undefined;
    readonly input?: unknown;
  }): Promise<void>;
  signalChain(options: object): Promise<{ readonly delivered: string }>;
}

/** A chain that was started, or the one that had its key. */
export interface StartedChain {
  readonly id: string;
  readonly typeName: string;
  readonly status: string;
  readonly input: unknown;
  readonly createdAt: Date;
  readonly deduplicated: boolean;
}

const calls = ["startChains", "transaction", "awaitChain", "getChain", "cancelChain", "retryChain", "signalChain"];

/** Checks at run time that a value has the calls of a client. */
export function isGatewayClient(client: unknown): client is GatewayClient {
  if (typeof client !== "object" || client === null) return false;
  return calls.every((call) => typeof Reflect.get(client, call) === "function");
}
