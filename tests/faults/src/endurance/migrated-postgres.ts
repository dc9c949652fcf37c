import { startPostgres } from "@chainwright/backends";
import { Client, Pool } from "pg";
import { fillHistory, fillOpenJobs } from "./history.ts";
import type { OpenMigratedStore } from "./migrated-store.ts";
import { watchLocks } from "./table-locks.ts";

/** The files of the tables, and their indexes: a table that is rewritten gets another file. */
const filesOfTables = `select c.relname || ' ' || pg_relation_filenode(c.oid) || ' ' ||
    (select coalesce(string_agg(i.indexrelid::regclass::text, ' ' order by i.indexrelid), '') from pg_index i where i.indrelid = c.oid) as file
  from pg_class c where c.relnamespace = 'chainwright'::regnamespace and c.relkind = 'r'`;

export const openMigratedPostgres: OpenMigratedStore = async (_folder, { dataDir, isTimed }) => {
  const server = await startPostgres({
    ...(dataDir !== undefined && { dataDir }),
    settings: {
      fsync: "off",
      max_connections: "300",
      max_wal_size: "4GB",
      shared_buffers: isTimed ? "512MB" : "128MB",
    },
  });
  const { url } = server;
  const pool = new Pool({ connectionString: url, max: 4 });
  // The server may stop while idle connections are closing; an "error" that no one listens to ends the process.
  pool.on("error", () => undefined);
  const watcher = new Client({ connectionString: url });
  return {
    place: { kind: "postgres", url },
    fill: async ({ historyRows, openRows, log }) => {
      await fillHistory(pool, historyRows, log);
      await fillOpenJobs(pool, openRows);
    },
    layout: async () => {
      const { rows } = await pool.query<{ file: string }>(filesOfTables);
      return new Set(rows.map(({ file }) => file));
    },
    watchLocks: async () => {
      await watcher.connect();
      return watchLocks(watcher);
    },
    close: async () => {
      await watcher.end();
      await pool.end();
      await server.stop();
    },
  };
};
