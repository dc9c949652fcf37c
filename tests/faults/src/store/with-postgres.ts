import { Client } from "pg";

/** Runs statements of the attack itself on a separate connection. Rejects if the server goes away. */
export async function withPostgres<T>(url: string, run: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // An "error" that no one listens to ends the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await run(client);
  } finally {
    // It may have gone away by now.
    await client.end().catch(() => undefined);
  }
}
