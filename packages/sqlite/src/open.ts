import { ChainwrightError } from "chainwright";
import type { SqliteDatabase, SqliteDriver } from "./driver.ts";
import { settingOf } from "./result-rows.ts";

/**
 * What a loss of power can lose. `full`: nothing that was acknowledged, because every commit waits for the disk. `normal`: the
 * last commits, but never a part of one; the database stays intact. `off`: the same, and the file may be damaged. A crash of
 * only the process loses nothing with any of them.
 *
 * @example
 * const durability: Durability = process.env["NODE_ENV"] === "test" ? "off" : "full";
 * const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3("jobs.db"), durability });
 */
export type Durability = "full" | "normal" | "off";

const levels: Readonly<Record<Durability, number>> = { full: 2, normal: 1, off: 0 };

/** How long a statement of the writer blocks the process while it waits, before it waits without blocking. */
const writerTimeoutMs = 2;
const cacheKiB = 16_384;
/**
 * The number of pages in the write-ahead log that causes a checkpoint. It writes each changed page only once: a start writes
 * 4.4 pages and the end of a step 5.4, nearly always the same ones. Against SQLite's own 1,000, a single start took 56
 * instead of 59 us of CPU, and 15 % less time.
 */
const checkpointPages = 4_000;
/** The size to which a write-ahead log that has grown is truncated. */
const keptLogBytes = 67_108_864;

/** Opens the connection that writes, with the requested durability; throws an error with the reason if that is impossible. */
export function openWriter<Tx extends object>(driver: SqliteDriver<Tx>, durability: Durability): SqliteDatabase<Tx> {
  const database = driver.open();
  try {
    if (!driver.openedByApplication) configure(database, durability);
    check(database, durability);
    return database;
  } catch (error) {
    if (!driver.openedByApplication) database.close();
    throw error;
  }
}

/** Opens the connection for reads, if the driver has one. */
export function openReader<Tx extends object>(driver: SqliteDriver<Tx>): SqliteDatabase<Tx> | undefined {
  const reader = driver.openReader();
  reader?.exec("pragma query_only = on");
  return reader;
}

function configure(database: SqliteDatabase<object>, durability: Durability): void {
  // Switching a new file to WAL needs an exclusive lock, which another process may hold for the same reason.
  database.exec("pragma busy_timeout = 5000");
  database.prepare("pragma journal_mode = wal").get();
  database.exec(
    `pragma synchronous = ${durability}; pragma temp_store = memory; pragma cache_size = -${cacheKiB};
     pragma journal_size_limit = ${keptLogBytes}; pragma wal_autocheckpoint = ${checkpointPages};
     pragma busy_timeout = ${writerTimeoutMs}`,
  );
}

/**
 * Switches between commits that wait for the disk and commits that do not. Both leave the database intact, and a commit that waits
 * also makes those before it durable. Undefined where commits do not wait anyway, and on the application's own handle, whose
 * settings are not changed.
 */
export function durabilitySwitch<Tx extends object>(
  database: SqliteDatabase<Tx>,
  { driver, durability }: { readonly driver: SqliteDriver<Tx>; readonly durability: Durability },
): ((isDurable: boolean) => void) | undefined {
  if (driver.openedByApplication || durability !== "full") return undefined;
  const journal = settingOf(database.prepare("pragma journal_mode").get());
  // Without a write-ahead log, less than `full` may damage the file.
  if (journal !== "wal") return undefined;
  return (isDurable) => database.exec(`pragma synchronous = ${isDurable ? "full" : "normal"}`);
}

function check(database: SqliteDatabase<object>, durability: Durability): void {
  const journal = settingOf(database.prepare("pragma journal_mode").get());
  const synchronous = Number(settingOf(database.prepare("pragma synchronous").get()));
  // A database in memory has no durability.
  if (journal === "memory" && settingOf(database.prepare("pragma database_list").get(), "file") === "") return;
  if (holds(durability, String(journal), synchronous)) return;
  throw new ChainwrightError(
    "invalid-input",
    `durability ${JSON.stringify(durability)} is impossible on this database, whose journal_mode is ${String(journal)} and whose ` +
      `synchronous is ${synchronous}: run "pragma journal_mode = wal" and "pragma synchronous = ${durability}" on it before, ` +
      "or pass the durability that it has",
    { details: { durability, journalMode: journal, synchronous } },
  );
}

function holds(durability: Durability, journal: string, synchronous: number): boolean {
  if (journal === "wal") return synchronous >= levels[durability];
  // Without a journal nothing can be rolled back, not even a savepoint.
  if (durability === "off") return journal !== "off";
  // Without a write-ahead log, less than `full` may damage the file.
  return journal !== "off" && journal !== "memory" && synchronous >= levels.full;
}
