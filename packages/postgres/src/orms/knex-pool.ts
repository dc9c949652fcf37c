import type { PgClient, PgPool } from "../drivers/pg-client.ts";
import type { Notice } from "../drivers/notice.ts";
import type { PgClientSource } from "../notify/listen-pg.ts";
import { closeConnection, hasMethods, isObject, isPgPool } from "./clients.ts";

/** A connection of Knex: a client of pg, without the `release` that a pool of pg would add. */
type KnexConnection = PgClient & {
  /** Why it is not used again. Knex closes such a connection instead of handing it out. */
  __knex__disposed?: unknown;
};

/** The client of a Knex, which its types do not describe. */
interface KnexClient {
  readonly driverName: string;
  readonly driver?: Pick<PgClientSource, "Client">;
  /** Another object after the application's function for it was called. */
  readonly connectionSettings: object;
  readonly config: { readonly connectionPool?: unknown };
  readonly pool?: { readonly max?: unknown };
  acquireConnection(): Promise<KnexConnection>;
  releaseConnection(connection: KnexConnection): Promise<void>;
}

interface Knex {
  readonly client: KnexClient;
}

interface KnexTransaction extends Knex {
  isCompleted(): boolean;
}

export function isKnex(value: unknown): value is Knex {
  return typeof value === "function" && "client" in value && isObject(value.client) && "driverName" in value.client;
}

export function isKnexTransaction(value: unknown): value is KnexTransaction {
  return isKnex(value) && "isTransaction" in value && value.isTransaction === true && hasMethods(value, "isCompleted");
}

/** Knex' pool as a pool of pg. */
export function knexPool(client: KnexClient): PgPool<PgClient> {
  const own = client.config.connectionPool;
  if (isPgPool(own)) return own;
  const max = client.pool?.max;
  const Client = client.driver?.Client;
  return {
    connect: async () => pooled(client, await client.acquireConnection()),
    // Knex listens to the errors of its connections.
    on: () => undefined,
    listeners: () => [],
    get options() {
      return { ...client.connectionSettings, max: typeof max === "number" ? max : undefined };
    },
    ...(Client && { Client }),
  };
}

type On = [event: "error", listener: (error: Error) => void] | [event: "notice", listener: (notice: Notice) => void];

/** A connection that can be given back to Knex' pool. */
function pooled(client: KnexClient, connection: KnexConnection): PgClient {
  return {
    query: (config) => connection.query(config),
    on: (...given: On) => (given[0] === "error" ? connection.on(...given) : connection.on(...given)),
    off: (event, listener) => connection.off(event, listener),
    listeners: (event) => connection.listeners(event),
    release: (destroy = false) => {
      if (destroy) {
        connection.__knex__disposed = "its last call failed";
        closeConnection(connection);
      }
      client.releaseConnection(connection).catch(() => undefined);
    },
  };
}
