import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { Pool } from "pg";

export const orders = pgTable("orders", {
  id: text().primaryKey(),
  status: text({ enum: ["placed", "paid", "refused"] }).notNull(),
});
export const lines = pgTable("lines", { orderId: text().notNull(), sku: text().notNull() }, (line) => [
  primaryKey({ columns: [line.orderId, line.sku] }),
]);
export const stock = pgTable("stock", { sku: text().primaryKey(), count: integer().notNull() });
export const reservations = pgTable("reservations", { orderId: text().notNull(), sku: text().notNull() }, (one) => [
  primaryKey({ columns: [one.orderId, one.sku] }),
]);
/** What the payment provider booked. Its key makes a repeated call harmless, as those of real providers do. */
export const payments = pgTable("payments", { key: text().primaryKey(), orderId: text().notNull() });
export const mails = pgTable("mails", { orderId: text().primaryKey(), text: text().notNull() });

export const tables = `
create table orders (id text primary key, status text not null);
create table lines ("orderId" text, sku text, primary key ("orderId", sku));
create table stock (sku text primary key, count integer not null check (count >= 0));
create table reservations ("orderId" text, sku text, primary key ("orderId", sku));
create table payments (key text primary key, "orderId" text not null);
create table mails ("orderId" text primary key, text text not null);
insert into stock values ('tea', 50), ('cup', 1000);`;

export const pool = new Pool({ connectionString: process.env["POSTGRES_URL"], application_name: "orders" });
export const db = drizzle({ client: pool });
