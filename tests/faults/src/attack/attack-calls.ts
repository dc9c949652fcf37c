import { join } from "node:path";
import type { OpenStore } from "../store/open-store.ts";
import { openStore } from "../store/place.ts";
import { interfere, preyOf } from "../work/interfere.ts";
import { eventsPath, journalEvents } from "../work/journal-events.ts";
import { openJournal } from "../work/journal.ts";
import { openClient } from "../work/open-client.ts";
import { insist } from "./insist.ts";
import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";

/**
 * Transactions of an application that call the library and stay open. They keep their locks for up to three leases, and then
 * commit or roll back.
 */
export async function attackCalls(attack: Attack): Promise<void> {
  const { chance, tally, scale, place } = attack;
  const store = await insist(async () => openStore(place));
  const events = openJournal(eventsPath(join(attack.folder, "calls")));
  const client = openClient(store, { observers: [journalEvents(events)] });
  const operator = { client, deleting: (id: string) => attack.examiner.say("deleting", [id]) };
  // SQLite has one writer, and every process waits for it.
  const longest = place.kind === "sqlite" ? 1.2 : 3;
  while (!attack.over) {
    await unlessOver(attack, chance.between(300, 1_500));
    const holdsMs = chance.between(0.1, longest) * scale.leaseMs;
    const commits = chance.next() < 0.5;
    try {
      const prey = await preyOf(client);
      const [id] = prey.slice(Math.floor(chance.next() * prey.length));
      if (id === undefined) continue;
      await client.transaction(async (tx) => {
        await interfere(operator, id, tx);
        await unlessOver(attack, holdsMs);
        if (!commits) throw new Error("rolled back, as planned");
      });
      tally.callsCommittedLate += 1;
    } catch {
      // Rolled back as planned, the server went away, or the chain was busy for too long.
      tally.callsRolledBackLate += 1;
    }
  }
  await close(client, store);
}

async function close(client: ReturnType<typeof openClient>, store: OpenStore): Promise<void> {
  await client.close();
  await store.notifyAdapter?.close();
  await store.close();
}
