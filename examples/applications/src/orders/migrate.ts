// Runs once for each deployment, before the server and the workers.
import { close, stateAdapter } from "./client.ts";
import { pool, tables } from "./database.ts";

await stateAdapter.migrate();
await pool.query(tables);
await close();
