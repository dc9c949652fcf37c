import { ChainwrightError, isChainwrightError, type ChainwrightErrorCode } from "chainwright";

/** The SQLSTATE of an error from Postgres, through any library and also wrapped; undefined if it did not come from Postgres. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let each = error, depth = 0; isObject(each) && depth < 8; each = causeOf(each), depth += 1) {
    const code = "originalCode" in each ? each.originalCode : "code" in each ? each.code : undefined;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !otherCodes.test(code)) return code;
  }
  return undefined;
}

/** Codes of five capitals or digits that are not SQLSTATEs: those of the operating system, and of Prisma. */
const otherCodes = /^(E[A-Z]{4}|P[1-9]\d{3})$/;

/** Prisma keeps the error of its driver in a property of its own. */
function causeOf(error: object): unknown {
  if ("meta" in error && isObject(error.meta) && "driverAdapterError" in error.meta)
    return error.meta.driverAdapterError;
  return "cause" in error ? error.cause : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Deadlocks, serialization failures, locks that were not granted in time: a repeated call may succeed. */
const conflicts = new Set(["40001", "40P01", "55P03"]);

/** Whether a lock was not granted within `lock_timeout` because another transaction holds it. Nothing was written. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === "55P03";
}

export function isConflict(error: unknown): boolean {
  return isChainwrightError(error, "transaction-conflict") || conflicts.has(sqlStateOf(error) ?? "");
}

/** The server accepts no writes: it is a standby, or a primary that is being replaced. */
const readOnlyState = "25006";

export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === readOnlyState;
}

const codes: Readonly<Record<string, ChainwrightErrorCode>> = {
  "42P01": "not-migrated",
  "42703": "not-migrated",
  "3F000": "not-migrated",
  "42883": "not-migrated",
  XX001: "store-corrupt",
  [readOnlyState]: "store-unavailable",
  // A statement_timeout, or an administrator cancelled the statement.
  "57014": "store-unavailable",
};

/** Why a server that can be reached does not accept a call. Nothing was written. */
const reasons: Readonly<Record<string, "read-only" | "timeout">> = { "25006": "read-only", "57014": "timeout" };

/** Connection failures, insufficient resources, operator intervention, system errors. */
const unavailable = /^(08|53|57P|58)|^25P03$/;

const messages: Partial<Record<ChainwrightErrorCode, string>> = {
  "store-corrupt": "the store contains data that should never occur: see what client.doctor() reports",
  "not-migrated":
    "the schema lacks what this version needs: call migrate() of the state adapter once, with a role that may create tables",
  "store-unavailable": "Postgres cannot be reached or does not accept the call now",
  "transaction-conflict": "the transaction conflicts with another one; nothing was written, run it again",
};

/** The error with which a call outside a caller's transaction rejects; the same error if it does not come from the store. */
export function storeError(error: unknown): unknown {
  if (isChainwrightError(error) || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const reason = reasons[sqlStateOf(error) ?? ""];
  const known = reason === undefined ? {} : { reason };
  const details = code === "store-unavailable" && mayHaveWritten(error) ? unknown : known;
  return new ChainwrightError(code, `${messages[code] ?? code} (${error.message})`, { cause: error, details });
}

/** The details of an error after which no one can say whether the call has written. */
const unknown = { outcome: "unknown" };

/** Client-side errors that come before anything is sent. */
const neverSent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CONNECT_TIMEOUT", "CONNECTION_ENDED"]);

/** After an error of Postgres nothing was written, unless it ended the connection: the commit may have happened before. */
function mayHaveWritten(error: Error): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return /^(08|57P0[124]|XX000)/.test(state);
  return !("code" in error && typeof error.code === "string" && neverSent.has(error.code));
}

/** A call that got no reply in time; Postgres may still carry it out. */
export function noReply(limitMs: number): ChainwrightError {
  return new ChainwrightError(
    "store-unavailable",
    `Postgres has not responded within ${limitMs} ms; whether the call has written is not known`,
    { details: unknown },
  );
}

/** A call that got no connection in time. Nothing was sent. */
export function noConnection(limitMs: number): ChainwrightError {
  return new ChainwrightError(
    "store-unavailable",
    `no connection to Postgres within ${limitMs} ms: every connection of the pool is in use, or the server does not respond`,
  );
}

/** A commit that this server made without waiting for the standbys as configured. */
export function notReplicated(): ChainwrightError {
  return new ChainwrightError(
    "store-unavailable",
    "the commit exists on this server only: the server stopped waiting for its standbys, so a failover may lose it",
    { details: unknown },
  );
}

/** The handle of a transaction was used after the transaction's end. */
export function endedTransaction(): ChainwrightError {
  return new ChainwrightError("closed", "this transaction has ended; its tx cannot be used any more");
}

/** Statements sent on a `tx` did not run in one transaction: the server cannot say whether there was one before. */
export function noTransaction(): ChainwrightError {
  return new ChainwrightError(
    "closed",
    "tx has no open transaction: it has ended, or none was begun on it, as on a Pool; pass the tx of a transaction that is open",
  );
}

/** Whether the server has ended the session, as when it cannot write its own files because the disk is full. */
function hasEndedSession(error: Error): boolean {
  return "severity" in error && (error.severity === "FATAL" || error.severity === "PANIC");
}

function codeOf(error: Error): ChainwrightErrorCode | undefined {
  const state = sqlStateOf(error);
  // Without an SQLSTATE the error is the client library's: no connection, or a broken one.
  if (state === undefined)
    return error instanceof TypeError || error instanceof RangeError ? undefined : "store-unavailable";
  if (conflicts.has(state)) return "transaction-conflict";
  if (hasEndedSession(error)) return "store-unavailable";
  return codes[state] ?? (unavailable.test(state) ? "store-unavailable" : undefined);
}
