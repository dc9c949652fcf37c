import { isContractPending, type PresentSchema, type SchemaState } from "chainwright/adapter";
import type { PostgresRow } from "./driver.ts";
import { releaseOf } from "./migrations.ts";
import type { Schema } from "./schema.ts";

type Query = (text: string, ...parameters: string[]) => Promise<readonly PostgresRow[]>;

/** Reads what a database has of a schema, which may exist without tables of this library. */
export async function presentSchema(
  query: Query,
  { name, quoted }: Schema,
): Promise<PresentSchema & { readonly exists: boolean }> {
  const [found] = await query(
    "select to_regclass($2::text)::text from pg_catalog.pg_namespace n where n.nspname = $1::text",
    name,
    `${quoted}.meta`,
  );
  if (found?.[0] === undefined || found[0] === null)
    return { exists: found !== undefined, version: 0, compatibleFrom: 1 };
  const [row] = await query(`select version, compatible_from from ${quoted}.meta`);
  return { exists: true, version: Number(row?.[0] ?? 0), compatibleFrom: Number(row?.[1] ?? 1) };
}

/** Reads the version of a schema, and what `migrate` would do with it. */
export async function schemaState(query: Query, schema: Schema): Promise<SchemaState> {
  const { version, compatibleFrom } = await presentSchema(query, schema);
  const { steps } = releaseOf(schema);
  const contractPending = isContractPending({ version, compatibleFrom }, steps);
  return { version, newest: steps.length, compatibleFrom, contractPending };
}
