import type { PostgresDriver } from "../src/index.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

const tables = ["job", "open_job", "blocker", "deduplication", "worker", "tally", "ended"];

/** Runs SQL outside the library. */
export type Execute = (sql: string) => Promise<unknown>;

/**
 * Hands out migrated, empty schemas, and takes them back to be emptied: creating one takes longer than most cases.
 */
export function createSchemas<Tx>(driver: () => PostgresDriver<Tx>, execute: Execute) {
  const free: string[] = [];
  const all: string[] = [];
  const name = () => {
    const schema = `state "${all.length}" of ${process.pid}`;
    all.push(schema);
    return schema;
  };
  const quoted = (schema: string) => `"${schema.replaceAll('"', '""')}"`;
  return {
    /** The name of a schema that is not there. */
    unmigrated: name,
    take: async (): Promise<string> => {
      const reused = free.pop();
      if (reused !== undefined) return reused;
      const schema = name();
      const adapter = createPostgresStateAdapter({ driver: driver(), schema });
      await adapter.migrate();
      await adapter.close();
      await execute(`create table ${quoted(schema)}.user_table (key text not null, value text not null)`);
      return schema;
    },
    giveBack: async (schema: string): Promise<void> => {
      for (const table of [...tables, "user_table"]) await execute(`delete from ${quoted(schema)}.${table}`);
      free.push(schema);
    },
    userTable: (schema: string) => `${quoted(schema)}.user_table`,
    dropAll: async (): Promise<void> => {
      for (const schema of all) await execute(`drop schema if exists ${quoted(schema)} cascade`);
    },
  };
}
