// One call of an operator, whose reply is printed as JSON: node operator-process.ts <json>.
import { isChainwrightError } from "chainwright";
import { openStore } from "./open-store.ts";
import type { RollingPlace } from "./place.ts";

/** What an operator does with the schema. */
export interface OperatorOrders {
  readonly place: RollingPlace;
  readonly call: "migrate" | "contract" | "schema";
}

const { place, call } = JSON.parse(process.argv[2] ?? "") as OperatorOrders;
const { stateAdapter, close } = openStore(place, 2);

async function run(): Promise<unknown> {
  if (call === "schema") return stateAdapter.schema();
  const began = Date.now();
  const statements = await stateAdapter.migrate({ contract: call === "contract" });
  return { statements: statements.length, began, ended: Date.now() };
}

try {
  process.stdout.write(`${JSON.stringify(await run())}\n`);
} catch (error) {
  if (!isChainwrightError(error)) throw error;
  process.stdout.write(`${JSON.stringify({ refused: error.code })}\n`);
} finally {
  await close();
}
