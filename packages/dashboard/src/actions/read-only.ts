import { Refusal } from "../http/refusal.ts";
import { Interrupted } from "./perform.ts";

/** Why a database takes no writes, by the code of its error. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["42501", "The database role of this dashboard may not write."],
  ["25006", "The database takes no writes: it is a standby, or set to read-only."],
  ["SQLITE_READONLY", "The database file is opened read-only, or this process may not write it."],
]);

/** SQLite's result code for a database that may not be written. */
const sqliteReadOnly = 8;
const mostCauses = 8;

/** Returns why the database takes no writes, if an error of a write says so. Inside a transaction such an error is the client library's own. */
export function readOnlyReason(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < mostCauses; each = each.cause, depth += 1) {
    const reason = reasons.get(codeOf(each) ?? "");
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The refusal for an error of a write of which nothing was done, if the database takes no writes. */
export function readOnlyRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Interrupted && error.performed.done.length > 0) return undefined;
  const reason = readOnlyReason(error);
  return reason === undefined ? undefined : new Refusal(403, "read-only", reason);
}

function codeOf(error: Error): string | undefined {
  if ("errcode" in error && typeof error.errcode === "number") {
    // The lowest byte is the primary result code.
    return (error.errcode & 0xff) === sqliteReadOnly ? "SQLITE_READONLY" : undefined;
  }
  if (!("code" in error) || typeof error.code !== "string") return undefined;
  return error.code.startsWith("SQLITE_READONLY") ? "SQLITE_READONLY" : error.code;
}
