import type { AnyEnv } from "../types/env.ts";
import type { Client } from "../types/client.ts";
import type { CreateClient } from "../types/create-client.ts";
import type { ErasedClientOptions } from "./client-options.ts";
import { createErasedClient } from "./erased-client.ts";
import { attachEngine } from "./internal.ts";

/*
 * The typed door. On this side every call has the user's types, on the other payloads are `unknown`; `types/` and its type
 * tests vouch for the signatures, the conformance suite for what happens behind them. Casts stand here and nowhere else.
 */
/**
 * Makes a client: one for an application and database is enough.
 *
 * @throws `invalid-input` for options that it does not have, `duplicate-job-type` when two slices define one name
 * @function
 * @example
 * const client = createClient({ stateAdapter, notifyAdapter, jobTypes: [orderJobTypes, mailJobTypes] });
 */
export const createClient: CreateClient = (options: object) => {
  const { client, engine } = createErasedClient(options as ErasedClientOptions);
  attachEngine(client, engine);
  return client as unknown as Client<AnyEnv> as never;
};
