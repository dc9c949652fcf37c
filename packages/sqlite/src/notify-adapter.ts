import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import { checkDriver } from "./check-driver.ts";
import type { SqliteDriver } from "./driver.ts";
import { openHintTable } from "./hint-table.ts";
import { hintTableOf } from "./schema.ts";

/**
 * The options of `createSqliteNotifyAdapter`.
 *
 * @example
 * import { DatabaseSync } from "node:sqlite";
 *
 * const options: SqliteNotifyAdapterOptions<DatabaseSync> = { driver: nodeSqlite("jobs-hints.db"), pollIntervalMs: 5 };
 * const notifyAdapter = createSqliteNotifyAdapter(options);
 */
export interface SqliteNotifyAdapterOptions<Tx extends object> {
  /** The driver of a separate file beside the file of the jobs, the same one in every process. */
  readonly driver: SqliteDriver<Tx>;
  /** Clients and workers that share a store share this prefix, and no others do. Default `chainwright_`. */
  readonly tablePrefix?: string | undefined;
  /** How often to look for hints of other processes. In milliseconds, default 25. */
  readonly pollIntervalMs?: number | undefined;
}

/**
 * Carries hints between the processes of one machine through a small SQLite file, without a broker. A look costs a few
 * microseconds, and a hint arrives within `pollIntervalMs`. The file contains nothing that must be kept: leave it out of
 * backups; you can delete it while no process has it open. It is a separate file so that hints do not wait for a transaction
 * on the jobs and do not delay one.
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
    throw new ChainwrightError(
      "invalid-input",
      `pollIntervalMs must be a number from 1 to 2^31; got ${pollIntervalMs}`,
    );
  }
  checkDriver(driver, "createSqliteNotifyAdapter");
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
