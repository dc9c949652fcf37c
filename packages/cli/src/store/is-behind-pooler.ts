import type { Pool } from "pg";

/**
 * Whether a pooler such as PgBouncer is between this process and the server. It tells a client about a process of its own making, where the
 * server names the process that serves the connection ("BackendKeyData" in the documentation of the protocol).
 */
export async function isBehindPooler(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ readonly pid: number }>("select pg_backend_pid() as pid");
    // The types of pg do not have it.
    return "processID" in client && client.processID !== rows[0]?.pid;
  } finally {
    client.release();
  }
}
