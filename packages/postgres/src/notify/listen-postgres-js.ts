import type Postgres from "postgres";
import { neverIdle, type PostgresListener, type PostgresListening } from "./driver.ts";

/** What listening uses of a `sql` of `postgres`: how to make a connection like its own. */
export interface PostgresJsSource {
  readonly options: object;
}

/**
 * Listens on a `sql` of its own with one connection. `sql.listen` is not used because it shares one connection with everything else
 * that listens, cannot close it when it is dead, and does not report that it has missed messages when it has reconnected.
 */
export async function listenWithPostgresJs(
  { options }: PostgresJsSource,
  { channel, onNotification, onBroken }: PostgresListening,
  signal: AbortSignal,
): Promise<PostgresListener> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(onBroken);
  // The same options with which `sql.listen` opens its connection.
  const listening = {
    ...options,
    max: 1,
    idle_timeout: 0,
    max_lifetime: 0,
    fetch_types: false,
    onnotify: (_channel: string, payload: string) => onNotification(payload),
    onclose: () => failed.reject(new Error("the connection that listens was closed.")),
  };
  const postgres = await load();
  const sql = postgres(listening);
  const abort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const end = (): void => void sql.end({ timeout: 0 }).catch(() => undefined);
  try {
    const listen = () => sql.unsafe(`listen ${channel}`);
    await Promise.race([sql.unsafe(neverIdle).then(listen), failed.promise]);
  } catch (error) {
    end();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  return {
    probe: async () => void (await sql.unsafe("select 1")),
    close: async () => end(),
  };
}

/**
 * Loads postgres.js when it is needed, because the drivers for ORMs import this file, and applications on pg do not have postgres.js.
 * Bundlers let an import inside `try` be missing.
 */
async function load(): Promise<typeof Postgres> {
  try {
    return (await import("postgres")).default;
  } catch (error) {
    throw new Error("the package postgres cannot be loaded; install it", { cause: error });
  }
}
