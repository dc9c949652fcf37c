import type { ChainwrightError } from "chainwright";
import { isReadOnly, noReply, noConnection, notReplicated, sqlStateOf } from "../errors.ts";
import { saysNotReplicated, type Notice } from "./notice.ts";
import { rollbackLimitMs, settlesWithin, within } from "./time-limit.ts";

/** What a connection from the pool is used for. */
export interface PoolClient {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notice", listener: (notice: Notice) => void): unknown;
  off(event: "notice", listener: (notice: Notice) => void): unknown;
  release(destroy?: boolean): void;
}

/** A connection from the pool, until it is given back or closed. */
export interface PgConnection<Client> {
  readonly client: Client;
  /** Waits for a statement that may commit. After `limitMs` the connection is closed, and the outcome is unknown. */
  commits<T>(sent: Promise<T>, limitMs: number): Promise<T>;
  /** Gives the connection back, or closes it if it may be unusable. Later calls do nothing. */
  letGo(state: "good" | "broken"): void;
  isLetGo(): boolean;
}

/** Waits for a connection. One that arrives too late is given back. */
export async function connect<Client extends PoolClient>(
  connecting: Promise<Client>,
  limitMs: number,
): Promise<PgConnection<Client>> {
  let isLate = false;
  const giveUp = (): ChainwrightError => {
    isLate = true;
    return noConnection(limitMs);
  };
  const client = await within(
    connecting.then((connected) => {
      if (isLate) connected.release();
      return connected;
    }),
    { limitMs, giveUp },
  );
  return connectionOf(client);
}

function connectionOf<Client extends PoolClient>(client: Client): PgConnection<Client> {
  let isLetGo = false;
  let isReplicated = true;
  const hear = (notice: Notice): void => {
    if (saysNotReplicated(notice)) isReplicated = false;
  };
  client.on("notice", hear);
  const letGo = (state: "good" | "broken"): void => {
    if (isLetGo) return;
    isLetGo = true;
    client.off("notice", hear);
    // A busy connection is closed at once.
    client.release(state === "broken");
  };
  return {
    client,
    commits: async (sent, limitMs) => {
      const giveUp = (): ChainwrightError => {
        letGo("broken");
        return noReply(limitMs);
      };
      const value = await within(sent, { limitMs, giveUp });
      if (!isReplicated) throw notReplicated();
      return value;
    },
    letGo,
    isLetGo: () => isLetGo,
  };
}

/**
 * Whether a connection may be unusable after an error. An error without an SQLSTATE did not come from Postgres, and a server that
 * accepts no writes may have been a primary before.
 */
export function isBroken(error: unknown): boolean {
  return isReadOnly(error) || /^$|^(08|57P|25P03)/.test(sqlStateOf(error) ?? "");
}

/** Whether the rollback succeeded. A broken connection fails at once, a busy one does not reply. */
export async function rollsBack(rollback: Promise<unknown>): Promise<boolean> {
  const rolledBack = rollback.then(
    () => true,
    () => false,
  );
  return (await settlesWithin(rolledBack, rollbackLimitMs)) && (await rolledBack);
}
