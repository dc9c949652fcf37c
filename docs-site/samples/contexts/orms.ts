// Names that the samples about ORMs may use: an application on Postgres, with each ORM.
import { createClient, defineJobTypes } from "chainwright";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { drizzleDriver } from "@chainwright/postgres/drizzle";
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

export const client = createClient({
  stateAdapter: createPostgresStateAdapter({ driver: drizzleDriver(db) }),
  jobTypes,
});

export const kysely = new Kysely<{ orders: { id: string } }>({ dialect: new PostgresDialect({ pool }) });
export const knex = knexOf({ client: "pg" });

/** Replaces the client that Prisma generates. */
export type * as Prisma from "./prisma-client.ts";
export declare const prisma: PrismaClient;

/** What the samples use of TypeORM. */
export interface EntityManager {
  query(sql: string, parameters: unknown[]): Promise<object[]>;
}
export declare const dataSource: {
  transaction<T>(level: "READ COMMITTED", run: (tx: EntityManager) => Promise<T>): Promise<T>;
};
