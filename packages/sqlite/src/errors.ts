import { ChainwrightError, isChainwrightError, type ChainwrightErrorCode } from "chainwright";

interface SqliteFailure {
  /** SQLite's primary result code. */
  readonly code: number;
  readonly message: string;
}

const primaryCodes: Readonly<Record<string, number>> = {
  SQLITE_ERROR: 1,
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_NOMEM: 7,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_SCHEMA: 17,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
};

/** The error code of SQLite, from any of the libraries and also wrapped by an ORM; undefined if the error is not SQLite's. */
function sqliteFailure(error: unknown): SqliteFailure | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1) {
    const failure = failureOf(each);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(error: Error): SqliteFailure | undefined {
  // node:sqlite has the extended result code; its lowest byte is the primary one.
  if ("errcode" in error && typeof error.errcode === "number") {
    return { code: error.errcode & 0xff, message: error.message };
  }
  // better-sqlite3 has the name of the extended result code, which begins with the name of the primary one.
  if ("code" in error && typeof error.code === "string" && error.code.startsWith("SQLITE_")) {
    const primary = /^SQLITE_[A-Z]+/.exec(error.code)?.[0] ?? "";
    return { code: primaryCodes[primary] ?? 0, message: error.message };
  }
  return undefined;
}

const meanings: Readonly<Record<number, readonly [code: ChainwrightErrorCode, advice: string]>> = {
  3: ["store-unavailable", "the process may not access the database file"],
  5: ["transaction-conflict", "another connection has held the database's write lock for too long; run the call again"],
  6: ["transaction-conflict", "another statement holds a lock on a table; run the call again"],
  7: ["store-unavailable", "SQLite is out of memory"],
  8: ["store-unavailable", "the database cannot be written: check the rights on its file and folder"],
  10: ["store-unavailable", "reading or writing the database file failed: check the disk"],
  11: ["store-corrupt", "the database file is damaged: restore a backup, or see SQLite's `.recover`"],
  13: [
    "store-unavailable",
    "the disk is full or the database has reached its page limit: make room, then work continues",
  ],
  14: ["store-unavailable", "the database file cannot be opened: check the path and the rights on its folder"],
  15: ["transaction-conflict", "the write-ahead log is being taken over by another process; run the call again"],
  17: ["transaction-conflict", "the schema changed during the call; run the call again"],
  23: ["store-unavailable", "an authorizer forbids the statement"],
  26: ["store-corrupt", "the file is no SQLite database"],
};

/** Translates an error of a call outside any given transaction into the port's. Errors that are not SQLite's are not changed. */
export function translate(error: unknown): unknown {
  // Translated before, or the library's own.
  if (isChainwrightError(error)) return error;
  const failure = sqliteFailure(error);
  if (failure === undefined) return error;
  if (failure.code === 1 && failure.message.includes("no such table")) {
    return new ChainwrightError("not-migrated", "the tables are missing: call `await stateAdapter.migrate()` first", {
      cause: error,
    });
  }
  const [code, advice] = meanings[failure.code] ?? ["store-unavailable", "SQLite refused the statement"];
  return new ChainwrightError(code, `${advice} (${failure.message})`, { cause: error });
}

/** Whether an error, SQLite's own or translated, means that the transaction can be retried. */
export function isConflict(error: unknown): boolean {
  return isChainwrightError(translate(error), "transaction-conflict");
}

/** Whether another connection holds the write lock. */
export function isBusy(error: unknown): boolean {
  const code = sqliteFailure(error)?.code;
  return code === 5 || code === 6 || code === 15;
}

/** Two tables that contradict each other. */
export function corruptError(what: string): ChainwrightError {
  return new ChainwrightError(
    "store-corrupt",
    `${what}: the database was damaged or changed by hand; restore a backup, or see SQLite's \`.recover\``,
  );
}

export function closedError(what: string): ChainwrightError {
  return new ChainwrightError("closed", `${what} is closed`);
}

export function lockedError(forMs: number): ChainwrightError {
  return new ChainwrightError(
    "transaction-conflict",
    `another connection has held the database's write lock for ${forMs} ms: ` +
      "look for a transaction that is left open, then run the call again",
  );
}
