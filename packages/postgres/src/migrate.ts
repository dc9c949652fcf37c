import { setTimeout as delay } from "node:timers/promises";
import { ChainwrightError } from "chainwright";
import { checkNotTooNew, planMigration, schemaInUse, type MigrateOptions } from "chainwright/adapter";
import { isLockTimeout } from "./errors.ts";
import { lockedLast } from "./migration-locks.ts";
import type { PostgresDriver, PostgresRow } from "./driver.ts";
import { differingFunctions } from "./installed-functions.ts";
import { releaseOf, type Release } from "./migrations.ts";
import { momentOf } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { presentSchema } from "./present-schema.ts";

/** How long one statement waits for a lock. Every call that comes after it waits as long, so it gives up and tries again later. */
const lockMs = 500;
/** For how long it tries. */
const patienceMs = 60_000;
const mostPauseMs = 1_000;

/** Brings the schema to the newest version, in one transaction and one process at a time. Returns the statements. */
export async function migrate<Tx>(
  driver: PostgresDriver<Tx>,
  schema: Schema,
  options: MigrateOptions,
  release: Release = releaseOf(schema),
): Promise<readonly string[]> {
  const began = performance.now();
  for (;;) {
    try {
      return await driver.transaction((tx) => {
        const query: Query = (text, ...parameters) => driver.query({ text, parameters, prepare: false }, tx);
        return migrateInside(query, schema, options, release);
      });
    } catch (error) {
      if (performance.now() - began > patienceMs || !isLockTimeout(error)) throw error;
      await delay(Math.random() * mostPauseMs);
    }
  }
}

type Query = (text: string, ...parameters: string[]) => Promise<readonly PostgresRow[]>;

async function migrateInside(
  query: Query,
  schema: Schema,
  { dryRun = false, contract }: MigrateOptions,
  { steps, functions }: Release,
): Promise<readonly string[]> {
  // Before anything is read.
  if (!dryRun) {
    await query("select pg_advisory_xact_lock(hashtextextended($1::text, 0))::text", `chainwright ${schema.name}`);
    await query(`set local lock_timeout = ${lockMs}`);
  }
  await checkEncoding(query);
  const present = await presentSchema(query, schema);
  checkNotTooNew(present, steps.length, `schema ${schema.quoted}`);
  if (present.version === steps.length) await checkFunctions(query, schema, functions);
  const plan = planMigration(present, steps, { contract });
  if (plan.leavesBehind !== undefined) await checkUnused(query, schema, plan.leavesBehind);
  const isBehind = present.version < plan.version;
  // Where the tables exist, functions and new tables come first: to change a table locks it until the commit, and no exchange runs
  // meanwhile. With the functions last that was 37 ms on a quiet machine and 450 ms on a busy one.
  const [before, after] = present.version > 0 ? [functions, []] : [[], functions];
  const changes = present.version > 0 ? lockedLast(plan.statements) : plan.statements;
  const statements =
    plan.statements.length === 0 && !isBehind
      ? []
      : [
          ...(present.exists ? [] : [`create schema ${schema.quoted}`]),
          ...(isBehind ? before : []),
          ...changes,
          ...(isBehind ? after : []),
          `insert into ${schema.quoted}.meta (version, compatible_from) values (${plan.version}, ${plan.compatibleFrom})
on conflict (only_row) do update set version = excluded.version, compatible_from = excluded.compatible_from`,
        ];
  if (!dryRun) for (const statement of statements) await query(statement);
  return statements;
}

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
async function checkFunctions(query: Query, schema: Schema, functions: readonly string[]): Promise<void> {
  const names = await differingFunctions(query, schema, functions);
  if (names.length === 0) return;
  throw new ChainwrightError(
    "schema-changed",
    `the functions ${names.join(", ")} of schema ${schema.quoted} must be those of this package; they differ or are missing. doctor({ repair: true }) of a client installs them again, for a role that may create functions`,
    { details: { schema: schema.name, functions: names } },
  );
}

/** Refuses to remove what a worker that is alive still uses. */
async function checkUnused(query: Query, schema: Schema, version: number): Promise<void> {
  const rows = await query(
    `select distinct w.name from ${schema.quoted}.worker w
where w.schema_version < $1::text::integer and w.alive_until > ${momentOf("null")} order by w.name`,
    String(version),
  );
  if (rows.length > 0)
    throw schemaInUse(
      rows.map(([name]) => String(name)),
      `schema ${schema.quoted}`,
    );
}
