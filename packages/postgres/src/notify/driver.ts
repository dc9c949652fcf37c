import type { PostgresDriver } from "../driver.ts";

/**
 * What the notify adapter needs from a client library. The drivers `pg` and `postgresJs` are both this and a `PostgresDriver`.
 * Test a driver for another client with `notifyConformance` from `@chainwright/conformance`.
 *
 * @example
 * const source: PostgresNotifyDriver = pg(pool);
 * const listening = { channel: "shop_hints", onNotification: console.log, onBroken: console.error };
 * const listener = await source.listen(listening, AbortSignal.timeout(5_000));
 * await listener.close();
 */
export interface PostgresNotifyDriver<Tx = unknown> extends Pick<PostgresDriver<Tx>, "query"> {
  /**
   * Listens on a connection of its own. Resolves when Postgres has confirmed it. If the signal aborts before that, it rejects and
   * leaves no connection open.
   */
  listen(listening: PostgresListening, signal: AbortSignal): Promise<PostgresListener>;
}

/**
 * What to listen to, and what to call.
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
  /** Called when the connection has ended or failed. Notifications may have been missed. */
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
  /** Resolves when the server replies on the connection. */
  probe(): Promise<void>;
  /** Ends the connection without waiting for the server, which may not reply. */
  close(): Promise<void>;
}

/**
 * Exempts the connection that listens from `idle_session_timeout`, because nothing may be sent on it for days. It goes through the
 * list of settings because Postgres 13 does not have this one.
 */
export const neverIdle =
  "select set_config(name, '0', false) from pg_catalog.pg_settings where name = 'idle_session_timeout'";
