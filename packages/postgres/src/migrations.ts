import type { Migration } from "chainwright/adapter";
import { installedFunctions } from "./installed-functions.ts";
import { limitTables } from "./limits/tables.ts";
import { noteTables } from "./notes/tables.ts";
import { failureTable } from "./failures/table.ts";
import { historyTable } from "./upkeep/history.ts";
import { endTables } from "./ends/tables.ts";
import type { Schema } from "./schema.ts";
import { createSchedules } from "./schedule-tables.ts";
import { signalTables } from "./signals/tables.ts";
import { createTables } from "./tables.ts";

/** The step to each version of the schema: its tables and indexes. `test/schema-versions` holds the text of the released ones. */
export const migrations: readonly ((schema: Schema) => Migration)[] = [
  (schema) => ({ expand: createTables(schema) }),
  ({ quoted: s }) => ({
    expand: [
      ...addVersionsAndPools(s),
      createPause(s),
      ...createSchedules(s),
      ...limitTables(s),
      ...signalTables(s),
      ...endTables(s),
      ...noteTables(s),
      historyTable(s),
      ...failureTable(s),
    ],
  }),
];

/** `null` in `version` and `output_version` is 1, which most jobs have. `versions` and `pools` are JSON. */
function addVersionsAndPools(s: string): readonly string[] {
  return [
    `alter table ${s}.job
  add column version smallint,
  add column output_version smallint,
  add column pool text collate "C"`,
    `alter table ${s}.worker
  add column package_version text,
  add column code_version bigint,
  add column versions text,
  add column pools text,
  -- What it held when another worker noticed its silence, as JSON.
  add column held text`,
  ];
}

/** The job types that are paused. */
function createPause(s: string): string {
  return `create table ${s}.pause (
  type_name text collate "C" not null,
  until double precision,
  reason text,
  "by" text,
  at double precision not null,
  constraint pause_pkey primary key (type_name)
)`;
}

/** What a release of this package makes of a schema. */
export interface Release {
  readonly steps: readonly Migration[];
  /**
   * The statements that install its functions, which replace those of the version before in every migration. A function keeps its
   * name as long as processes of that version can call it.
   */
  readonly functions: readonly string[];
}

export function releaseOf(schema: Schema): Release {
  return { steps: migrations.map((step) => step(schema)), functions: installedFunctions(schema) };
}
