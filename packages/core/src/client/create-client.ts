import type { AnyEnv } from "../types/env.ts";
import type { Client } from "../types/client.ts";
import type { CreateClient } from "../types/create-client.ts";
import type { ErasedClientOptions } from "./client-options.ts";
import { createErasedClient } from "./erased-client.ts";
import { attachEngine } from "./internal.ts";

/*
 * The typed door. On this side every call has the user's types, on the other side payloads are `unknown`. `types/` and its type
 * tests check the signatures, the conformance suite checks the behaviour. Casts are here and nowhere else.
 */
/**
 * Creates a client: one for each application and database is enough.
 *
 * @throws `invalid-input` for unknown or invalid options, `duplicate-job-type` when two slices define one name
 * @function
 * @example
 * const client = createClient({ stateAdapter, notifyAdapter, jobTypes: [orderJobTypes, mailJobTypes] });
 */
export const createClient: CreateClient = (options: object) => {
  const { client, engine } = createErasedClient(options as ErasedClientOptions);
  attachEngine(client, engine);
  return client as unknown as Client<AnyEnv> as never;
};
