// One call of an operator, whose reply is printed as JSON: node operator-process.ts <json>.
import { createClient, isChainwrightError } from "chainwright";
import { openStore } from "./open-store.ts";
import type { RollingPlace } from "./place.ts";
import { pausedType, sharedJobTypes } from "./shared-job-types.ts";

/** What an operator does. */
export interface OperatorOrders {
  readonly place: RollingPlace;
  readonly call: "migrate" | "contract" | "schema" | "pause" | "resume";
}

const { place, call } = JSON.parse(process.argv[2] ?? "") as OperatorOrders;
const { stateAdapter, close } = openStore(place, 2);
const client = createClient({ stateAdapter, jobTypes: sharedJobTypes, observers: [] });

async function run(): Promise<object> {
  switch (call) {
    case "schema":
      return stateAdapter.schema();
    case "pause":
      await client.pauseJobTypes({ typeNames: [pausedType], reason: "the rolling test" });
      return {};
    case "resume":
      await client.resumeJobTypes({ typeNames: [pausedType] });
      return {};
    default:
      return { statements: (await stateAdapter.migrate({ contract: call === "contract" })).length };
  }
}

try {
  const began = Date.now();
  const reply = await run();
  process.stdout.write(`${JSON.stringify({ ...reply, began, ended: Date.now() })}\n`);
} catch (error) {
  if (!isChainwrightError(error)) throw error;
  process.stdout.write(`${JSON.stringify({ refused: error.code, began: 0, ended: 0 })}\n`);
} finally {
  await close();
}
