import type { PostgresDriver } from "../driver.ts";

/**
 * The seam to a client library for LISTEN and NOTIFY; the drivers `pg` and `postgresJs` are both this and `PostgresDriver`.
 * A driver for another client proves itself with `notifyConformance` from `@chainwright/conformance`.
 *
 * @example
 * const source: PostgresNotifyDriver = pg(pool);
 * const listening = { channel: "shop_hints", onNotification: console.log, onBroken: console.error };
 * const listener = await source.listen(listening, AbortSignal.timeout(5_000));
 * await listener.close();
 */
export interface PostgresNotifyDriver<Tx = unknown> extends Pick<PostgresDriver<Tx>, "query"> {
  /**
   * Listens on a connection of its own. Resolves when Postgres confirmed it. When the signal aborts before that, rejects and
   * leaves no connection open.
   */
  listen(listening: PostgresListening, signal: AbortSignal): Promise<PostgresListener>;
}

/**
 * What to listen to, and who is told.
 *
 * @example
 * const heard: string[] = [];
 * const listening: PostgresListening = {
 *   channel: "shop_hints",
 *   onNotification: (payload) => void heard.push(payload),
 *   onBroken: (error) => logger.warn(error),
 * };
 */
export interface PostgresListening {
  /** A name that needs no quotes. */
  readonly channel: string;
  onNotification(payload: string): void;
  /** The connection ended, or had an error: notifications may have been missed. */
  onBroken(error: unknown): void;
}

/**
 * A connection that listens.
 *
 * @example
 * async function isAlive(listener: PostgresListener): Promise<boolean> {
 *   return await listener.probe().then(
 *     () => true,
 *     () => false,
 *   );
 * }
 */
export interface PostgresListener {
  /** Resolves when the connection answers. */
  probe(): Promise<void>;
  /** Ends the connection without waiting for a server that may be gone. */
  close(): Promise<void>;
}

/**
 * Exempts the connection that listens, on which nothing is sent for days, from `idle_session_timeout`. By way of the list of settings,
 * because Postgres 13 does not have this one.
 */
export const neverIdle =
  "select set_config(name, '0', false) from pg_catalog.pg_settings where name = 'idle_session_timeout'";
