import { startPostgresProxy } from "@chainwright/backends/postgres-proxy";
import type { PassingMessage } from "@chainwright/backends/postgres-proxy";
import { connectToPostgres } from "../store/postgres-client.ts";
import type { PostgresPlace } from "../store/postgres-client.ts";
import { postgresStoreOf } from "../store/postgres-store.ts";
import type { TrippedStore } from "./tripped-store.ts";

/**
 * What happens at one message between a process and the server, in either direction; the process lives on:
 * - `cut-before`, `cut-after`: the connection is cut in front of it or behind it;
 * - `lose-reply`: the server carries out what the message ends, a commit say, and the connection is cut instead of the reply;
 * - `lose`: from there on nothing arrives on the connection, and the server keeps what it holds after the process has heard.
 */
export type NetworkAccident = "cut-before" | "cut-after" | "lose-reply" | "lose";

export interface NetworkAccidentOptions {
  readonly accident: NetworkAccident;
  /** At which message of all connections, from 1; for `lose-reply`, of those that end an exchange. */
  readonly at: number;
}

/** A Postgres store behind a network on which an accident happens at one message, connecting and hanging up among them. */
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
