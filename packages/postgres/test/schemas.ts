import { emptyingSchema } from "@chainwright/backends/empty-schema";
import type { StateBackend } from "@chainwright/conformance";
import { createPostgresStateAdapter } from "../src/index.ts";
import type { Client } from "./clients.ts";
import { plantingIn } from "./planting.ts";

interface Migrated {
  readonly schema: string;
  /** The statement that empties it. */
  readonly emptying: string;
}

/** A pool of migrated, empty schemas. Returned ones are emptied, because creating one takes longer than most cases. */
export interface Schemas<Tx> {
  take(): Promise<StateBackend<Tx>>;
  takeUnmigrated(): Promise<StateBackend<Tx>>;
  dropAll(): Promise<void>;
}

/** `prepare` is called with each new schema. */
export function createSchemas<Tx>(
  client: Client<Tx>,
  prefix: string,
  prepare?: (schema: string) => Promise<unknown>,
): Schemas<Tx> {
  const free: Migrated[] = [];
  const all: string[] = [];

  const adapterOn = (schema: string) => createPostgresStateAdapter({ driver: client.driver(), schema });

  const create = async (): Promise<string> => {
    const schema = `${prefix} "${all.length}" of ${process.pid}`;
    all.push(schema);
    return schema;
  };

  const migrated = async (): Promise<Migrated> => {
    const reused = free.pop();
    if (reused !== undefined) return reused;
    const schema = await create();
    const adapter = adapterOn(schema);
    await adapter.migrate();
    await prepare?.(schema);
    await adapter.close();
    await client.execute(`create table ${quoted(schema)}.user_table (key text not null, value text not null)`);
    return { schema, emptying: await emptyingSchema(client.execute, schema) };
  };

  const backendOn = (schema: string, close: () => Promise<void>): StateBackend<Tx> => ({
    adapter: adapterOn(schema),
    connect: async () => adapterOn(schema),
    userTable: {
      write: async (tx, key, value) => {
        await client.executeIn(tx, `insert into ${quoted(schema)}.user_table values (${text(key)}, ${text(value)})`);
      },
      read: (key) => client.execute(`select value from ${quoted(schema)}.user_table where key = ${text(key)}`),
    },
    planting: plantingIn(client.execute, quoted(schema)),
    close,
  });

  return {
    take: async () => {
      const taken = await migrated();
      return backendOn(taken.schema, async () => {
        await client.execute(taken.emptying);
        free.push(taken);
      });
    },
    takeUnmigrated: async () => backendOn(await create(), async () => {}),
    dropAll: async () => {
      for (const schema of all) await client.execute(`drop schema if exists ${quoted(schema)} cascade`);
    },
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
