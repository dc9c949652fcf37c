import { startPostgresProxy } from "@chainwright/backends/postgres-proxy";
import type { PassingMessage } from "@chainwright/backends/postgres-proxy";
import { connectToPostgres } from "../store/postgres-client.ts";
import type { PostgresPlace } from "../store/postgres-client.ts";
import { postgresStoreOf } from "../store/postgres-store.ts";
import type { TrippedStore } from "./tripped-store.ts";

/**
 * An accident at one message between a process and the server, in either direction; the process survives:
 * - `cut-before`, `cut-after`: the connection is cut before or after the message;
 * - `lose-reply`: the server executes the exchange that the message ends, for example a commit, and the connection is cut
 *   instead of the reply;
 * - `lose`: nothing arrives on the connection any more, and the server keeps its locks after the process has noticed.
 */
export type NetworkAccident = "cut-before" | "cut-after" | "lose-reply" | "lose";

export interface NetworkAccidentOptions {
  readonly accident: NetworkAccident;
  /** The number of the message over all connections, from 1; for `lose-reply`, among those that end an exchange. */
  readonly at: number;
}

/** A Postgres store behind a network with an accident at one message, including those that connect and disconnect. */
export async function openOverNetwork(
  place: PostgresPlace,
  { accident, at }: NetworkAccidentOptions,
): Promise<TrippedStore> {
  let messages = 0;
  let tripped = false;
  const fateOf = ({ endsExchange }: PassingMessage) => {
    if (accident === "lose-reply" && !endsExchange) return "pass";
    messages += 1;
    if (messages !== at) return "pass";
    tripped = true;
    return accident;
  };
  const proxy = await startPostgresProxy(place.url, { fateOf, lostForMs: { client: 20, server: 60 } });
  const client = connectToPostgres({ ...place, url: proxy.url });
  const store = postgresStoreOf(client.driver, place.schema);
  return {
    wire: {
      get tripped() {
        return tripped;
      },
      dead: false,
    },
    vanish: () => undefined,
    store: {
      ...store,
      close: async () => {
        await store.close();
        await client.end();
        await proxy.close();
      },
    },
  };
}
