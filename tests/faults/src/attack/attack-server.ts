import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "@chainwright/backends";
import { withPostgres } from "../store/with-postgres.ts";
import { insist } from "./insist.ts";
import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";

/** Kills, restarts and freezes the server, and makes it read-only, at times spread over the attack. */
export async function attackServer(attack: Attack): Promise<void> {
  const { server, scale, chance, tally } = attack;
  if (server === undefined) return;
  const everyMs = (scale.minutes * 60_000) / (scale.serverKills * 1.5 + 1);
  while (!attack.over) {
    await unlessOver(attack, Math.min(everyMs, 15_000) * chance.between(0.5, 1));
    if (attack.over) return;
    const how = chance.next();
    if (how < 0.7 || tally.serverKills < scale.serverKills / 2) {
      await server.kill();
      tally.serverKills += 1;
      // Connections are refused for a while.
      await delay(chance.between(0, 1_500));
      await startAgain(server);
    } else if (how < 0.8) {
      tally.serverRestarts += 1;
      await startAgain(server);
    } else if (how < 0.9) {
      tally.serverPauses += 1;
      await server.pause();
      await delay(2 * scale.leaseMs);
      await server.resume();
    } else {
      tally.serverReadOnly += 1;
      await setReadOnly(server, true);
      await delay(2 * scale.leaseMs);
      await setReadOnly(server, false);
    }
  }
}

/** A backend that was starting during the kill may keep the shared memory for a while, and the disk may be full. */
export async function startAgain(server: Server): Promise<void> {
  await insist(() => server.restart());
}

async function setReadOnly({ url }: Server, on: boolean): Promise<void> {
  await insist(() =>
    withPostgres(url, async (client) => {
      await client.query(`alter system set default_transaction_read_only = ${on ? "on" : "off"}`);
      await client.query("select pg_reload_conf()");
    }),
  );
}
