import type { SchemaState } from "../ports/migrate.ts";
import type { Found } from "./report.ts";

export function checkSchema({ version, newest, contractPending }: SchemaState): readonly Found[] {
  if (version < newest) {
    const problem = version === 0 ? "has no tables" : `has schema version ${version}`;
    const message = `The store ${problem}, and this code needs version ${newest}: run \`await stateAdapter.migrate()\` before the deployment. Jobs were not read.`;
    return [{ code: "schema-behind", message, details: { version, newest } }];
  }
  if (!contractPending) return [];
  const message =
    "The store still has what only older releases of the library use: once none of their processes is left, run `await stateAdapter.migrate({ contract: true })`.";
  return [{ code: "contract-pending", message, details: { version } }];
}
