import type { Migration } from "chainwright/adapter";
import { installedFunctions } from "../src/installed-functions.ts";
import { migrate } from "../src/migrate.ts";
import { releaseOf } from "../src/migrations.ts";
import type { PostgresDriver } from "../src/index.ts";
import { schemaOf, type Schema } from "../src/schema.ts";

const tables = [
  "job",
  "open_job",
  "blocker",
  "release",
  "deduplication",
  "tag",
  "worker",
  "pause",
  "expiry",
  "tally",
  "meta",
];

/** A step with everything that the next release may do to a schema beside processes of this one. */
function nextStep(schema: Schema): Migration {
  const { quoted: s } = schema;
  return {
    expand: [
      ...tables.map(
        (table) =>
          `alter table ${s}.${table} add column since_next text, add column constant_next integer not null default 7`,
      ),
      `create table ${s}.next_table (id uuid primary key)`,
      `create index job_next on ${s}.job (since_next) where since_next is not null`,
    ],
    contract: [`alter table ${s}.job drop column tags`],
  };
}

function functionsOf(schema: Schema): readonly string[] {
  return installedFunctions(schema).map(withAnotherBody);
}

function withAnotherBody(statement: string): string {
  const changed = statement.replace(/\nas (\$body\d*\$)/, "\nas $1\n-- of the next release");
  if (changed === statement) throw new Error(`this statement has no body: ${statement}`);
  return changed;
}

/** Runs the migration of the next release. */
export async function migrateToNext<Tx>(
  driver: PostgresDriver<Tx>,
  name: string,
  options: { readonly contract?: boolean } = {},
): Promise<readonly string[]> {
  const schema = schemaOf(name);
  const { steps } = releaseOf(schema);
  return migrate(driver, schema, options, { steps: [...steps, nextStep(schema)], functions: functionsOf(schema) });
}
