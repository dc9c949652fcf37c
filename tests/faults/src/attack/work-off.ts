import { setTimeout as delay } from "node:timers/promises";
import { attend } from "../work/attend.ts";
import type { FaultClient } from "../work/open-client.ts";
import type { Attack } from "./plan.ts";

const openChains = "select count(*) from fault_job where chain_status = 'active'";

/** Does the work of an operator in rounds until no chain is open. Returns whether that was in time. */
export async function workOff(
  { examiner }: Pick<Attack, "examiner">,
  client: FaultClient,
  limitMs: number,
  eachRound: () => void,
): Promise<boolean> {
  const until = Date.now() + limitMs;
  for (let quietRounds = 0; quietRounds < 2;) {
    if (Date.now() > until) return false;
    eachRound();
    await delay(250);
    try {
      const attended = await attend(client);
      const open = await examiner.count(openChains);
      quietRounds = open === 0 && !attended ? quietRounds + 1 : 0;
    } catch {
      // The server may still be recovering.
      quietRounds = 0;
    }
  }
  return true;
}
