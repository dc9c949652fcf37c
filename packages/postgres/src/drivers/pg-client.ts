import type { PgClientSource } from "../notify/listen-pg.ts";
import type { PoolClient } from "./pg-connection.ts";

/** What the driver uses of a client of `pg`. */
export interface PgClient extends PoolClient {
  query(config: PgQuery): Promise<{ readonly command?: string; rows: unknown[] }>;
  listeners(event: "error"): unknown[];
}

/** A pool has two signatures of `connect`. With only one of them the compiler would not find the type of its clients. */
interface PgConnect<Client> {
  (): Promise<Client>;
  (callback: (error: Error | undefined, client: Client | undefined, done: (release?: boolean) => void) => void): void;
}

/** What the driver uses of a pool of `pg`. */
export interface PgPool<Client extends PgClient> extends PgClientSource {
  connect: PgConnect<Client>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire", listener: (client: PgClient) => void): unknown;
  listeners(event: "error" | "acquire"): unknown[];
  readonly options: object & { readonly max?: number | undefined };
}

export interface PgQuery {
  readonly text: string;
  readonly name?: string;
  readonly values?: (string | null)[];
  readonly rowMode?: "array";
  readonly types?: { getTypeParser(): (text: string) => unknown };
}

/**
 * An event "error" without a listener ends the process. A pool emits one when an idle connection breaks; it has dropped that
 * connection by then, and the next call opens another. A connection gets its listener before the pool hands it out, because the
 * server's last message may arrive in one packet with the first "ready", before the caller has the connection. The pool gets one
 * listener, however many drivers use it.
 */
export function listenToErrors(pool: Pick<PgPool<PgClient>, "on" | "listeners">): void {
  if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
  if (!pool.listeners("acquire").includes(listenToErrorsOf)) pool.on("acquire", listenToErrorsOf);
}

function listenToErrorsOf(client: PgClient): void {
  if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
}

function ignore(): void {}
