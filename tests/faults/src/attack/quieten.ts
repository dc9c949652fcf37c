import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openStore } from "../store/place.ts";
import { eventsPath, journalEvents } from "../work/journal-events.ts";
import { openJournal } from "../work/journal.ts";
import { openClient } from "../work/open-client.ts";
import { startWorker } from "./attack-workers.ts";
import type { Child } from "./children.ts";
import type { Attack } from "./plan.ts";
import { workOff } from "./work-off.ts";

/** Lets workers finish the open chains without attacks. Resolves to whether all ended in time. */
export async function quieten(attack: Attack, limitMs: number): Promise<boolean> {
  const store = openStore(attack.place);
  const events = openJournal(eventsPath(join(attack.folder, "attends")));
  const client = openClient(store, { observers: [journalEvents(events)] });
  const workers: Child[] = [];
  let round = 0;
  const rests = await workOff(attack, client, limitMs, () => {
    round += 1;
    // A poisoned job may still end one.
    for (let lane = 0; lane < attack.scale.processes; lane += 1) {
      const running = workers[lane]?.process;
      if (running?.exitCode === null && running.signalCode === null) continue;
      const journal = join(attack.folder, `quiet-${lane}-${round}`);
      workers[lane] = startWorker(attack, { place: attack.place, journal, hints: "real", migrates: false, skewMs: 0 });
    }
  });
  for (const worker of workers) {
    worker.process.stdin?.end();
    await Promise.race([worker.ended, delay(10_000)]);
    worker.process.kill("SIGKILL");
    await worker.ended;
  }
  await client.close();
  await store.notifyAdapter?.close();
  await store.close();
  return rests;
}
