import { ChainwrightError } from "chainwright";
import type { PostgresDriver } from "./driver.ts";
import { beginFunction } from "./functions/begin.ts";
import { closeFunction } from "./functions/close.ts";
import { deleteFunction } from "./functions/delete.ts";
import { followFunction } from "./functions/follow.ts";
import { holdFunction } from "./functions/hold.ts";
import { keysFunction } from "./functions/keys.ts";
import { insideFunction } from "./functions/inside.ts";
import { cycleFunction, linkFunction } from "./functions/link.ts";
import { continueOneFunction, settleOneFunction, startOneFunction } from "./functions/one.ts";
import { reblockFunction, reopenFunction, retakeFunction, waitsFunction } from "./functions/reopen.ts";
import { noteStoppedFunction } from "./functions/note-stopped.ts";
import { lostFunction, settleAllFunction, settleEndedFunction } from "./functions/settle-ended.ts";
import { cancelFunction } from "./operations/cancel.ts";
import { claimFunction } from "./operations/claim.ts";
import { removeFunction } from "./operations/remove.ts";
import { renewFunction } from "./operations/renew.ts";
import { retryFunction } from "./operations/retry.ts";
import { openStepFunction, settleFunction } from "./operations/settle.ts";
import { startFunction, startPlainFunction } from "./operations/start.ts";
import { triggerFunction } from "./operations/trigger.ts";
import { createTables } from "./schema.ts";
import type { Schema } from "./schema.ts";
import { expireFunction, keepEntriesFunction, retentionFunction } from "./upkeep/retention.ts";
import { settledPositionFunction } from "./upkeep/settled-position.ts";
import { talliedFunction, tallyFunction } from "./upkeep/tally.ts";
import { windowsFunction } from "./upkeep/windows.ts";
import { workersFunction } from "./upkeep/workers.ts";

/** Functions carry the version they came with: those of an older one stay, for processes that still run it. */
const functions: readonly ((schema: Schema) => string)[] = [
  noteStoppedFunction,
  insideFunction,
  closeFunction,
  followFunction,
  keysFunction,
  beginFunction,
  cycleFunction,
  linkFunction,
  lostFunction,
  startOneFunction,
  startPlainFunction,
  startFunction,
  openStepFunction,
  settleEndedFunction,
  settleAllFunction,
  settleFunction,
  settleOneFunction,
  continueOneFunction,
  claimFunction,
  renewFunction,
  triggerFunction,
  cancelFunction,
  waitsFunction,
  retakeFunction,
  reopenFunction,
  reblockFunction,
  retryFunction,
  holdFunction,
  deleteFunction,
  removeFunction,
  settledPositionFunction,
  expireFunction,
  keepEntriesFunction,
  retentionFunction,
  windowsFunction,
  workersFunction,
  tallyFunction,
  talliedFunction,
];

/** What brings a schema from each version to the next. A step, once published, does not change. */
const migrations: readonly ((schema: Schema) => string[])[] = [
  (schema) => [...createTables(schema), ...functions.map((text) => text(schema))],
];

/** Brings the schema to this version, in one transaction and one process at a time; answers the statements. */
export async function migrate<Tx>(
  driver: PostgresDriver<Tx>,
  schema: Schema,
  { dryRun }: { readonly dryRun?: boolean | undefined },
): Promise<readonly string[]> {
  return driver.transaction(async (tx) => {
    const query = (text: string, ...parameters: string[]) => driver.query({ text, parameters, prepare: false }, tx);
    // Before everything else, also before looking.
    if (dryRun !== true) {
      await query("select pg_advisory_xact_lock(hashtextextended($1::text, 0))::text", `chainwright ${schema.name}`);
    }
    const present = await versionOf(query, schema);
    const statements = [
      ...(present === undefined ? [`create schema ${schema.quoted}`] : []),
      ...stepsFrom(present ?? 0, schema),
    ];
    if (dryRun !== true) for (const statement of statements) await query(statement);
    return statements;
  });
}

function stepsFrom(present: number, schema: Schema): string[] {
  const { length: newest } = migrations;
  if (present > newest) {
    throw new ChainwrightError(
      "schema-too-new",
      `schema ${schema.quoted} has version ${present}, this package knows versions up to ${newest}: upgrade the package`,
      { details: { schema: schema.name, present, known: newest } },
    );
  }
  if (present === newest) return [];
  return [
    ...migrations.slice(present).flatMap((step) => step(schema)),
    `insert into ${schema.quoted}.meta (version) values (${newest}) on conflict (only_row) do update set version = excluded.version`,
  ];
}

/** Undefined: there is no such schema. 0: it is there and has nothing of ours. */
async function versionOf(
  query: (text: string, ...parameters: string[]) => Promise<readonly (readonly unknown[])[]>,
  { name, quoted }: Schema,
): Promise<number | undefined> {
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
