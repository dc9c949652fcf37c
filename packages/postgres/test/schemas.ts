import type { StateBackend } from "@chainwright/conformance";
import { createPostgresStateAdapter } from "../src/index.ts";
import type { Client } from "./clients.ts";
import { plantingIn } from "./planting.ts";

const tables = [
  "job",
  "blocker",
  "release",
  "stopped",
  "failure",
  "deduplication",
  "tag",
  "worker",
  "pause",
  "schedule",
  "tick",
  "parked",
  "kept",
  "lane",
  "place",
  "token",
  "gate_event",
  "limit_rule",
  "gate_rule",
  "signal",
  "topic",
  "publication",
  "compensation",
  "deadline",
  "memo",
  "progress",
  "log_line",
  "history",
  "spent_note",
  "expiry",
  "tally",
  "tally_change",
  "user_table",
];

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
  const free: string[] = [];
  const all: string[] = [];

  const adapterOn = (schema: string) => createPostgresStateAdapter({ driver: client.driver(), schema });

  const create = async (): Promise<string> => {
    const schema = `${prefix} "${all.length}" of ${process.pid}`;
    all.push(schema);
    return schema;
  };

  const migrated = async (): Promise<string> => {
    const reused = free.pop();
    if (reused !== undefined) return reused;
    const schema = await create();
    const adapter = adapterOn(schema);
    await adapter.migrate();
    await prepare?.(schema);
    await adapter.close();
    await client.execute(`create table ${quoted(schema)}.user_table (key text not null, value text not null)`);
    return schema;
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
      const schema = await migrated();
      return backendOn(schema, async () => {
        await client.execute(emptying(quoted(schema)));
        free.push(schema);
      });
    },
    takeUnmigrated: async () => backendOn(await create(), async () => {}),
    dropAll: async () => {
      for (const schema of all) await client.execute(`drop schema if exists ${quoted(schema)} cascade`);
    },
  };
}

/** One statement, because most cases take less time than a round trip for each table. */
function emptying(schema: string): string {
  return `do $$ begin
    -- What deleted rows leave in the claim's index would have later cases look at jobs in another way.
    truncate ${schema}.open_job;
    ${tables.map((table) => `delete from ${schema}.${table};`).join("\n    ")}
    -- The next case may live at the same moments.
    update ${schema}.upkeep set began_at = 0;
  end $$`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
