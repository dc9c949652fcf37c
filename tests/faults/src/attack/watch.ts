import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "./plan.ts";

const sharedKeys =
  "select count(*) from (select key from fault_job where chain_status = 'active' and key is not null group by key having count(*) > 1) shared";
const allChains = "select count(*) from fault_ever where step = 1";

/** Checks repeatedly how far the attack is, and whether two live chains share a key; ends the attack when it is complete. */
export async function watch(attack: Attack, log: (line: string) => void): Promise<void> {
  const { examiner, scale, tally, server } = attack;
  const endsAt = Date.now() + scale.minutes * 60_000;
  for (let round = 0; !attack.over; round += 1) {
    await delay(500);
    try {
      tally.keysShared += await examiner.count(sharedKeys);
      tally.looksAtKeys += 1;
      if (round % 4 === 0) attack.chains = await examiner.count(allChains);
    } catch {
      // The server is away.
    }
    const done =
      attack.chains >= scale.chains &&
      tally.workerKills >= scale.kills &&
      (server === undefined || tally.serverKills >= scale.serverKills);
    attack.over = done || Date.now() > endsAt;
    if (round % 20 === 19) {
      log(`${attack.chains} chains, ${tally.workerKills} workers and ${tally.serverKills} servers killed`);
    }
  }
}
