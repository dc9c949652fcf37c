import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import { checkDriver } from "../check-driver.ts";
import type { PostgresNotifyDriver } from "./driver.ts";

/**
 * Options of `createPostgresNotifyAdapter`.
 *
 * @example
 * import { Pool } from "pg";
 *
 * const direct = new Pool({ connectionString: process.env["DIRECT_URL"], max: 2 }); // not through PgBouncer
 * const options: PostgresNotifyAdapterOptions = { driver: pg(direct), channelPrefix: "shop" };
 * const notifyAdapter = createPostgresNotifyAdapter(options);
 */
export interface PostgresNotifyAdapterOptions {
  /** `pg(pool)`, `postgresJs(sql)`, or the driver of an ORM such as `drizzleDriver(db)`. */
  readonly driver: PostgresNotifyDriver;
  /** The same name for all clients and workers of a store, and for no others. Default: `chainwright`. */
  readonly channelPrefix?: string | undefined;
}

/** Postgres accepts payloads below 8,000 bytes. */
const maxMessageLength = 7_999;

/** A name has at most 63 bytes, the suffix included. */
const prefixes = /^[a-z_][a-z0-9_]{0,56}$/;

/**
 * Sends any number of messages in one statement and one short transaction, never in a transaction of the application, because a
 * commit with notifications takes a lock that all such commits need. The loss of a notification does no harm, so the commit does
 * not wait for the disk. (The parameter is a text because postgres.js encodes a json parameter once more.)
 */
const notifyAll =
  "select set_config('synchronous_commit', 'off', true), pg_notify($1, message) from json_array_elements_text($2::text::json) as message";

const whenSilent =
  "LISTEN receives nothing. Behind PgBouncer in transaction mode it never does: give the adapter a driver on a pool of direct connections; it needs one connection.";

/**
 * Sends hints with LISTEN and NOTIFY: workers in other processes learn of new work within a round trip, without another server. It
 * publishes through the driver's pool, and opens one more connection like the pool's to listen, which `close()` ends.
 *
 * @example
 * import { Pool } from "pg";
 *
 * const driver = pg(new Pool({ connectionString }));
 * const stateAdapter = createPostgresStateAdapter({ driver });
 * const notifyAdapter = createPostgresNotifyAdapter({ driver });
 */
export function createPostgresNotifyAdapter({
  driver,
  channelPrefix = "chainwright",
}: PostgresNotifyAdapterOptions): NotifyAdapter & AsyncDisposable {
  if (typeof channelPrefix !== "string" || !prefixes.test(channelPrefix)) {
    throw new ChainwrightError(
      "invalid-input",
      `channelPrefix must be 1 to 57 lower-case letters, digits and underscores that do not begin with a digit; got ${JSON.stringify(channelPrefix)}`,
    );
  }
  checkDriver(driver, "createPostgresNotifyAdapter", "query", "listen");
  const channel = `${channelPrefix}_hints`;
  return createChannelNotifyAdapter({
    channel: {
      maxMessageLength,
      whenSilent,
      async publish(messages) {
        const parameters = [channel, JSON.stringify(messages)];
        await driver.query({ text: notifyAll, parameters, prepare: true }, undefined);
      },
      open: ({ onMessage, onBroken }, signal) =>
        driver.listen({ channel, onNotification: onMessage, onBroken }, signal),
      close: async () => {},
    },
  });
}
