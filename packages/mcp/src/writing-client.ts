import type { AnyClient, StartedChain } from "chainwright";

/** The calls that tools need in addition to those of `AnyClient`, with erased types. */
export interface WritingClient extends AnyClient {
  retryChains(options: {
    readonly items: readonly {
      readonly id: string;
      readonly typeName?: string | undefined;
      readonly input?: unknown;
    }[];
  }): Promise<void>;
  cancelChains(options: {
    readonly items: readonly { readonly id: string; readonly reason: string }[];
  }): Promise<unknown>;
  triggerJobs(options: { readonly items: readonly { readonly id: string }[] }): Promise<void>;
  startChains(options: {
    readonly items: readonly {
      readonly typeName: string;
      readonly input: unknown;
      readonly deduplication: { readonly key: string };
    }[];
  }): Promise<readonly StartedChain<string, unknown>[]>;
}

const calls = ["retryChains", "cancelChains", "triggerJobs", "startChains"] as const;

/** Checks at run time that a value has the calls of a client. */
export function isWritingClient(client: AnyClient): client is WritingClient {
  return calls.every((call) => typeof Reflect.get(client, call) === "function");
}
