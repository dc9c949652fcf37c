import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openStore } from "../store/place.ts";
import { attend } from "../work/attend.ts";
import { openClient } from "../work/open-client.ts";
import { startWorker } from "./attack-workers.ts";
import type { Child } from "./children.ts";
import type { Attack } from "./plan.ts";

const openChains = "select count(*) from fault_job where chain_status = 'active'";

/** Lets what is left be worked off by workers that nobody attacks. Whether all has ended in time. */
export async function quieten(attack: Attack, limitMs: number): Promise<boolean> {
  const store = openStore(attack.place);
  const client = openClient(store);
  const workers: Child[] = [];
  const until = Date.now() + limitMs;
  let open = Infinity;
  let quietRounds = 0;
  for (let round = 0; quietRounds < 2 && Date.now() < until; round += 1) {
    // A poisonous job may still take one along.
    for (let lane = 0; lane < attack.scale.processes; lane += 1) {
      const running = workers[lane]?.process;
      if (running?.exitCode === null && running.signalCode === null) continue;
      workers[lane] = startWorker(attack, {
        place: attack.place,
        journal: join(attack.folder, `quiet-${lane}-${round}`),
        hints: "real",
        migrates: false,
        skewMs: 0,
      });
    }
    await delay(250);
    try {
      const attended = await attend(client);
      open = await attack.examiner.count(openChains);
      quietRounds = open === 0 && !attended ? quietRounds + 1 : 0;
    } catch {
      // The server may still be recovering.
      quietRounds = 0;
    }
  }
  for (const worker of workers) {
    worker.process.stdin?.end();
    await Promise.race([worker.ended, delay(10_000)]);
    worker.process.kill("SIGKILL");
    await worker.ended;
  }
  await client.close();
  await store.notifyAdapter?.close();
  await store.close();
  return open === 0;
}
