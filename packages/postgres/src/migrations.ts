import type { Migration } from "chainwright/adapter";
import { installedFunctions } from "./installed-functions.ts";
import type { Schema } from "./schema.ts";
import { createTables } from "./tables.ts";

/** The step to each version of the schema. `test/schema-versions` holds the text of the released ones. */
export const migrations: readonly ((schema: Schema) => Migration)[] = [
  (schema) => ({ expand: [...createTables(schema), ...installedFunctions(schema)] }),
];

/** What a release of this package makes of a schema. */
export interface Release {
  readonly steps: readonly Migration[];
  /** The statements that install its functions. */
  readonly functions: readonly string[];
}

export function releaseOf(schema: Schema): Release {
  return { steps: migrations.map((step) => step(schema)), functions: installedFunctions(schema) };
}
