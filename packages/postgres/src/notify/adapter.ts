import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import type { PostgresNotifyDriver } from "./driver.ts";

/**
 * What `createPostgresNotifyAdapter` takes.
 *
 * @example
 * import { Pool } from "pg";
 *
 * const direct = new Pool({ connectionString: process.env["DIRECT_URL"], max: 2 }); // and not through PgBouncer
 * const options: PostgresNotifyAdapterOptions = { driver: pg(direct), channelPrefix: "shop" };
 * const notifyAdapter = createPostgresNotifyAdapter(options);
 */
export interface PostgresNotifyAdapterOptions {
  /** `pg(pool)` or `postgresJs(sql)`. */
  readonly driver: PostgresNotifyDriver;
  /** Clients and workers that share a store share this name, and no others do. Default `chainwright`. */
  readonly channelPrefix?: string | undefined;
}

/** Postgres takes payloads below 8,000 bytes. */
const maxMessageLength = 7_999;

/** What stays of the 63 bytes of a name beside the suffix. */
const prefixes = /^[a-z_][a-z0-9_]{0,56}$/;

/**
 * One statement and one short transaction for any number of messages, on the pool and never in a transaction of the user's: a
 * commit with notifications holds a lock that all such commits share. Nothing is lost with a notification, so it does not
 * wait for the disk. (postgres.js encodes what goes in as json once more, hence the text.)
 */
const notifyAll =
  "select set_config('synchronous_commit', 'off', true), pg_notify($1, message) from json_array_elements_text($2::text::json) as message";

const whenSilent =
  "LISTEN hears nothing. Behind PgBouncer in transaction mode it never does: give the adapter a driver on a pool of direct connections, of which it needs one.";

/**
 * Carries hints over LISTEN and NOTIFY: workers in other processes hear of new work within a round trip, and no other server
 * is needed. It publishes through the driver's pool and opens one connection of its own to listen, made like the pool's, which
 * `close()` ends.
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
      "channelPrefix is a name of lower-case letters, digits and underscores, at most 57 long, that begins with no digit.",
    );
  }
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
