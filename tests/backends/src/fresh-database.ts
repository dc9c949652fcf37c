import { randomUUID } from "node:crypto";
import { Client } from "pg";

/** An empty database, until it is dropped. */
export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates an empty database on a Postgres server. */
export async function freshDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `fresh_${randomUUID().replaceAll("-", "")}`;
  await execute(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(serverUrl, `drop database ${name} with (force)`) };
}

/**
 * Creates an empty database on a Postgres server, calls `run` with its URL, and drops it afterwards. For a program that makes
 * its tables itself.
 */
export async function withFreshDatabase<Result>(
  serverUrl: string,
  run: (url: string) => Promise<Result>,
): Promise<Result> {
  const database = await freshDatabase(serverUrl);
  try {
    return await run(database.url);
  } finally {
    await database.drop();
  }
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  // An "error" that no one listens to ends the process, and the server may go away at any moment.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
