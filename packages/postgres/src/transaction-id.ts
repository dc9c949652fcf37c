import type { Schema } from "./schema.ts";
import { lightFunction } from "./sql-function.ts";

/**
 * The id of the transaction that the statement runs in, or null if it has none yet: then it has one afterwards. So a statement
 * that gets null twice in a row runs in no transaction block, because the first time it was a transaction of its own. Nothing
 * else in SQL says so. The id is that of the outermost transaction: it survives a rollback to a savepoint.
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
