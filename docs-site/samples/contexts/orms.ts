// Names that the samples about ORMs may use: an application on Postgres, with each ORM.
import { createClient, defineJobTypes } from "chainwright";
import { createPostgresStateAdapter, type PostgresDriver } from "@chainwright/postgres";
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import knexOf from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import type { PrismaClient } from "./prisma-client.ts";

export const jobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; output: { placed: boolean } };
}>();
export const orderId: string = "A-1";
export const pool = new Pool();

export const orders = pgTable("orders", { id: text("id").notNull() });
export const db = drizzle({ client: pool });

/** Drizzle's transaction, for a client that was created with `withTransactions`. */
export type DrizzleTx = Parameters<Parameters<typeof db.transaction>[0]>[0];
export declare const drizzleDriver: PostgresDriver<DrizzleTx>;
export const client = createClient({
  stateAdapter: createPostgresStateAdapter({ driver: drizzleDriver }),
  jobTypes,
});

export const kysely = new Kysely<{ orders: { id: string } }>({ dialect: new PostgresDialect({ pool }) });
export const knex = knexOf({ client: "pg" });

/** Replaces the client that Prisma generates. */
export type * as Prisma from "./prisma-client.ts";
export declare const prisma: PrismaClient;
