import { ChainwrightError, isChainwrightError, type ChainwrightErrorCode } from "chainwright";

/** The SQLSTATE of what Postgres answered, whichever library carried it, also wrapped; undefined: it did not come from there. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let each = error, depth = 0; isObject(each) && depth < 8; each = causeOf(each), depth += 1) {
    const code = "originalCode" in each ? each.originalCode : "code" in each ? each.code : undefined;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !otherCodes.test(code)) return code;
  }
  return undefined;
}

/** Five capitals or digits that are no SQLSTATE: error codes of the operating system, and of Prisma. */
const otherCodes = /^(E[A-Z]{4}|P[1-9]\d{3})$/;

/** Prisma keeps what its driver met apart. */
function causeOf(error: object): unknown {
  if ("meta" in error && isObject(error.meta) && "driverAdapterError" in error.meta)
    return error.meta.driverAdapterError;
  return "cause" in error ? error.cause : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Deadlocks, serialization failures, locks not had in time: the same again may succeed. */
const conflicts = new Set(["40001", "40P01", "55P03"]);

/** A lock was not had within `lock_timeout`: somebody else holds it. Nothing was written. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === "55P03";
}

export function isConflict(error: unknown): boolean {
  return isChainwrightError(error, "transaction-conflict") || conflicts.has(sqlStateOf(error) ?? "");
}

/** A server that takes no writes: a standby, or a primary that is being replaced. */
const readOnlyState = "25006";

export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === readOnlyState;
}

const codes: Readonly<Record<string, ChainwrightErrorCode>> = {
  "42P01": "not-migrated",
  "3F000": "not-migrated",
  "42883": "not-migrated",
  XX001: "store-corrupt",
  [readOnlyState]: "store-unavailable",
  // A statement_timeout, or somebody cancelled it.
  "57014": "store-unavailable",
};

/** Why a server that can be reached does not take a call. Nothing was written. */
const reasons: Readonly<Record<string, "read-only" | "timeout">> = { "25006": "read-only", "57014": "timeout" };

/** Connection failures, insufficient resources, operator intervention, system errors. */
const unavailable = /^(08|53|57P|58)|^25P03$/;

const messages: Partial<Record<ChainwrightErrorCode, string>> = {
  "store-corrupt": "the store holds something that should never be: see what client.doctor() reports",
  "not-migrated":
    "the schema has not what this version needs: call migrate() of the state adapter once, with a role that may create tables",
  "store-unavailable": "Postgres cannot be reached or does not take the call now",
  "transaction-conflict": "the transaction lost a race with another one; nothing was written, it may be run again",
};

/** What a call outside any transaction of the caller's rejects with; the error itself where it is none of the store's. */
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

/** An error of Postgres says that nothing was written, unless it ended the connection: the commit may have come before. */
function mayHaveWritten(error: Error): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return /^(08|57P0[124])/.test(state);
  return !("code" in error && typeof error.code === "string" && neverSent.has(error.code));
}

/** A call that got no answer in time; it may still be carried out. */
export function noAnswer(limitMs: number): ChainwrightError {
  return new ChainwrightError(
    "store-unavailable",
    `Postgres has not answered within ${limitMs} ms; whether the call has written is not known`,
    { details: unknown },
  );
}

/** A call that got no connection in time: nothing was sent. */
export function noConnection(limitMs: number): ChainwrightError {
  return new ChainwrightError(
    "store-unavailable",
    `no connection to Postgres within ${limitMs} ms: every connection of the pool is in use, or the server does not answer`,
  );
}

/** A commit that this server made without the standbys that it was to wait for. */
export function notReplicated(): ChainwrightError {
  return new ChainwrightError(
    "store-unavailable",
    "the commit is on this server alone: it ended to wait for the standbys before they had it, so a failover may lose it",
    { details: unknown },
  );
}

/** A transaction's handle after the transaction's end. */
export function endedTransaction(): ChainwrightError {
  return new ChainwrightError("closed", "this transaction has ended; its tx cannot be used any more");
}

function codeOf(error: Error): ChainwrightErrorCode | undefined {
  const state = sqlStateOf(error);
  // Without a state it is the client's own: a connection that could not be had, or that broke.
  if (state === undefined)
    return error instanceof TypeError || error instanceof RangeError ? undefined : "store-unavailable";
  if (conflicts.has(state)) return "transaction-conflict";
  return codes[state] ?? (unavailable.test(state) ? "store-unavailable" : undefined);
}
