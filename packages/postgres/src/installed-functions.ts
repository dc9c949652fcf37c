import type { PostgresRow } from "./driver.ts";
import { beginFunction } from "./functions/begin.ts";
import { carryFunction, releaseFunction } from "./functions/carry.ts";
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
import { takeFreeFunction } from "./functions/take-free.ts";
import { cancelFunction } from "./operations/cancel.ts";
import { claimFunction } from "./operations/claim.ts";
import { holdFenceFunction } from "./operations/hold-fence.ts";
import { removeFunction } from "./operations/remove.ts";
import { renewFunction } from "./operations/renew.ts";
import { retryFunction } from "./operations/retry.ts";
import { beginSinglyFunction } from "./functions/singly.ts";
import { openStepFunction, settleFunction } from "./operations/settle.ts";
import { startFunction, startPlainFunction } from "./operations/start.ts";
import { triggerFunction } from "./operations/trigger.ts";
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
  carryFunction,
  releaseFunction,
  keysFunction,
  beginFunction,
  cycleFunction,
  linkFunction,
  lostFunction,
  holdFenceFunction,
  startOneFunction,
  startPlainFunction,
  beginSinglyFunction,
  startFunction,
  openStepFunction,
  settleEndedFunction,
  settleAllFunction,
  takeFreeFunction,
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

/** The statements that install the functions, in order. */
export function installedFunctions(schema: Schema): readonly string[] {
  return functions.map((text) => text(schema));
}

/** The names of functions that are not there, or have another body than the one that this package installs. */
export async function differingFunctions(
  query: (text: string, parameter: string) => Promise<readonly PostgresRow[]>,
  schema: Schema,
): Promise<readonly string[]> {
  const rows = await query(
    `select p.proname, p.prosrc from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = $1::text`,
    schema.name,
  );
  const present = new Map(rows.map(([name, body]) => [String(name), String(body)]));
  return installedFunctions(schema)
    .map((statement) => ({ name: nameOf(statement, schema), body: bodyOf(statement) }))
    .filter(({ name, body }) => present.get(name) !== body)
    .map(({ name }) => name);
}

/** Of the function that a statement installs. */
export function nameOf(statement: string, { quoted }: Schema): string {
  const from = `create or replace function ${quoted}.`.length;
  return statement.slice(from, statement.indexOf("(", from));
}

/** What stands between the dollar quotes. */
function bodyOf(statement: string): string | undefined {
  return /\nas (\$body\d*\$)([^]*)\1$/.exec(statement)?.[2];
}
