import type { Schema } from "./schema.ts";
import { lightFunction } from "./sql-function.ts";

/**
 * The id of the transaction in which the statement runs, or null if it has none yet; then the function gives it one. A session that
 * gets null twice in a row is in no transaction block, because the first call was a transaction of its own. SQL has no other way
 * to find that out. The id is that of the outermost transaction, so it survives a rollback to a savepoint.
 */
export function transactionIdFunction(schema: Schema): string {
  return lightFunction(schema, {
    name: "transaction_id_v1",
    parameters: "",
    returns: "text",
    declare: "  v_id text := pg_current_xact_id_if_assigned()::text;",
    body: `  if v_id is null then
    perform pg_current_xact_id();
  end if;
  return v_id;`,
  });
}
