import { ChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresRow } from "./driver.ts";
import { differingFunctions, installedFunctions } from "./installed-functions.ts";
import type { Schema } from "./schema.ts";
import { createTables } from "./tables.ts";

/**
 * The statements that bring a schema from each version to the next. Those of a released version never change:
 * `test/schema-versions` holds their text.
 */
export const migrations: readonly ((schema: Schema) => readonly string[])[] = [
  (schema) => [...createTables(schema), ...installedFunctions(schema)],
];

/** Brings the schema to the newest version, in one transaction and one process at a time. Returns the statements. */
export async function migrate<Tx>(
  driver: PostgresDriver<Tx>,
  schema: Schema,
  { dryRun }: { readonly dryRun?: boolean | undefined },
): Promise<readonly string[]> {
  return driver.transaction(async (tx) => {
    const query = (text: string, ...parameters: string[]) => driver.query({ text, parameters, prepare: false }, tx);
    // Before anything is read.
    if (dryRun !== true) {
      await query("select pg_advisory_xact_lock(hashtextextended($1::text, 0))::text", `chainwright ${schema.name}`);
    }
    await checkEncoding(query);
    const present = await versionOf(query, schema);
    if (present === migrations.length) await checkFunctions(query, schema);
    const statements = [
      ...(present === undefined ? [`create schema ${schema.quoted}`] : []),
      ...stepsFrom(present ?? 0, schema),
    ];
    if (dryRun !== true) for (const statement of statements) await query(statement);
    return statements;
  });
}

type Query = (text: string, ...parameters: string[]) => Promise<readonly PostgresRow[]>;

/** Payloads may contain any character, and some JSON functions of Postgres work in UTF-8 only. */
async function checkEncoding(query: Query): Promise<void> {
  const [row] = await query("select current_setting('server_encoding'), current_database()");
  const [encoding, database] = [String(row?.[0]), String(row?.[1])];
  if (encoding === "UTF8") return;
  throw new ChainwrightError(
    "invalid-input",
    `the encoding of database ${JSON.stringify(database)} must be UTF8; got ${encoding}, in which most characters cannot be stored. Create a database with: create database ... encoding 'UTF8' template template0`,
    { details: { database, encoding } },
  );
}

/** Refuses functions that were changed by hand, or by a build that was never released: a version must mean one thing. */
async function checkFunctions(query: Query, schema: Schema): Promise<void> {
  const names = await differingFunctions(query, schema);
  if (names.length === 0) return;
  throw new ChainwrightError(
    "schema-changed",
    `the functions ${names.join(", ")} of schema ${schema.quoted} must be those of version ${migrations.length} of this package; they differ or are missing. doctor({ repair: true }) of a client installs them again, for a role that may create functions`,
    { details: { schema: schema.name, functions: names } },
  );
}

function stepsFrom(present: number, schema: Schema): string[] {
  const { length: newest } = migrations;
  if (present > newest) {
    throw new ChainwrightError(
      "schema-too-new",
      `schema ${schema.quoted} has version ${present}, and this package knows versions up to ${newest}: upgrade the package`,
      { details: { schema: schema.name, present, known: newest } },
    );
  }
  if (present === newest) return [];
  return [
    ...migrations.slice(present).flatMap((step) => step(schema)),
    `insert into ${schema.quoted}.meta (version) values (${newest}) on conflict (only_row) do update set version = excluded.version`,
  ];
}

/** Undefined if there is no such schema; 0 if it has no tables of this library. */
async function versionOf(query: Query, { name, quoted }: Schema): Promise<number | undefined> {
  const [found] = await query(
    "select to_regclass($2::text)::text from pg_catalog.pg_namespace n where n.nspname = $1::text",
    name,
    `${quoted}.meta`,
  );
  if (found === undefined) return undefined;
  if (found[0] === null) return 0;
  const [row] = await query(`select version from ${quoted}.meta`);
  return Number(row?.[0] ?? 0);
}
