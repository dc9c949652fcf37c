// Wakes workers through the database itself, by LISTEN and NOTIFY: no broker.
import { createPostgresNotifyAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg"; // or postgresJs from "@chainwright/postgres/postgres-js"
import { Pool } from "pg";
import { wakeUpThrough } from "./wake-up.ts";

const pool = new Pool({ connectionString: process.env["POSTGRES_URL"] });

// One for each process; each keeps one connection of the pool for listening.
const notifyAdapter = () => createPostgresNotifyAdapter({ driver: pg(pool), channelPrefix: "example" });
await wakeUpThrough(notifyAdapter(), notifyAdapter());

await pool.end();
