// Names that the samples about ORMs on SQLite may use.
import Database from "better-sqlite3";
import { defineJobTypes } from "chainwright";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, SqliteDialect } from "kysely";

export const jobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; output: { placed: boolean } };
}>();
export const orderId: string = "A-1";
export const orders = sqliteTable("orders", { id: text("id").notNull() });
export const kysely = new Kysely<{ orders: { id: string } }>({
  dialect: new SqliteDialect({ database: new Database("shop.db") }),
});
