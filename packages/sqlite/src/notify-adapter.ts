import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import type { SqliteDriver } from "./driver.ts";
import { openHintTable } from "./hint-table.ts";
import { hintTableOf } from "./schema.ts";

/**
 * What `createSqliteNotifyAdapter` takes.
 *
 * @example
 * import { DatabaseSync } from "node:sqlite";
 *
 * const options: SqliteNotifyAdapterOptions<DatabaseSync> = { driver: nodeSqlite("jobs-hints.db"), pollIntervalMs: 5 };
 * const notifyAdapter = createSqliteNotifyAdapter(options);
 */
export interface SqliteNotifyAdapterOptions<Tx extends object> {
  /** On a file of its own beside that of the jobs, the same one in every process. */
  readonly driver: SqliteDriver<Tx>;
  /** Clients and workers that share a store share this prefix, and no others do. `chainwright_` unless set. */
  readonly tablePrefix?: string | undefined;
  /** How often to look for hints of other processes. In milliseconds, 25 unless set. */
  readonly pollIntervalMs?: number | undefined;
}

/**
 * Carries hints between the processes of one machine over a small SQLite file: no broker is needed. A look costs a few
 * microseconds, a hint arrives within `pollIntervalMs`. The file holds nothing that must be kept: leave it out of backups,
 * and delete it whenever no process has it open. It takes its own file so that hints neither wait for a transaction on the
 * jobs nor hold one up.
 *
 * @example
 * const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3("jobs.db") });
 * const notifyAdapter = createSqliteNotifyAdapter({ driver: betterSqlite3("jobs-hints.db") });
 */
export function createSqliteNotifyAdapter<Tx extends object>({
  driver,
  tablePrefix = "chainwright_",
  pollIntervalMs = 25,
}: SqliteNotifyAdapterOptions<Tx>): NotifyAdapter & AsyncDisposable {
  if (!(pollIntervalMs >= 1 && pollIntervalMs < 2 ** 31)) {
    throw new ChainwrightError("invalid-input", `pollIntervalMs is a number from 1 to 2^31, not ${pollIntervalMs}`);
  }
  const table = openHintTable(driver, hintTableOf(tablePrefix));
  return createChannelNotifyAdapter({
    channel: {
      maxMessageLength: 65_536,
      publish: table.append,
      open: async (listener) => {
        const follower = await table.follow();
        let timer: NodeJS.Timeout | undefined;
        const look = (): void => {
          try {
            for (const message of follower.next()) listener.onMessage(message);
            timer = setTimeout(look, pollIntervalMs);
          } catch (error) {
            listener.onBroken(error);
          }
        };
        timer = setTimeout(look, pollIntervalMs);
        return {
          close: async () => clearTimeout(timer),
        };
      },
      close: table.close,
    },
  });
}
