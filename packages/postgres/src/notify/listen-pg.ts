import { neverIdle, type PostgresListener, type PostgresListening } from "./driver.ts";

/** What listening uses of a pool of `pg`: how to make a connection like those of the pool. */
export interface PgClientSource {
  readonly options: object;
  /** The class of the pool's clients, perhaps the native one. The types of `pg` do not have it. */
  readonly Client?: new (options: object) => PgListenClient;
}

export interface PgListenClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  end(): Promise<void>;
  /** The native client does not have it. */
  readonly connection?: { readonly stream: { destroy(): void } };
}

/** Listens on a client of its own, so that the pool keeps all its connections. */
export async function listenWithPg(
  pool: PgClientSource,
  { channel, onNotification, onBroken }: PostgresListening,
  signal: AbortSignal,
): Promise<PostgresListener> {
  if (pool.Client === undefined) throw new TypeError("pool must be a Pool of pg; its property Client is undefined");
  const client = new pool.Client(pool.options);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(onBroken);
  client.on("error", failed.reject);
  client.on("end", () => failed.reject(new Error("the connection that listens was ended.")));
  client.on("notification", ({ payload }) => onNotification(payload ?? ""));
  const abort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const open = async (): Promise<void> => {
    await client.connect();
    await client.query(neverIdle);
    await client.query(`listen ${channel}`);
  };
  try {
    await Promise.race([open(), failed.promise]);
  } catch (error) {
    end(client);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  return {
    probe: async () => void (await client.query("select 1")),
    close: async () => end(client),
  };
}

function end(client: PgListenClient): void {
  // Not awaited: the server may not reply.
  client.end().catch(() => undefined);
  client.connection?.stream.destroy();
}
