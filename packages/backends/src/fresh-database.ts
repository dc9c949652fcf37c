import { randomUUID } from "node:crypto";
import { Client } from "pg";

export interface FreshDatabase extends AsyncDisposable {
  readonly url: string;
}

/** An empty database of its own on a Postgres server, for a program that makes its tables itself; dropped when disposed of. */
export async function createFreshDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `fresh_${randomUUID().replaceAll("-", "")}`;
  await execute(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => execute(serverUrl, `drop database ${name} with (force)`),
  };
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
