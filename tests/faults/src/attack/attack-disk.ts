import type { Server } from "@chainwright/backends";
import { withPostgres } from "../store/with-postgres.ts";
import { startAgain } from "./attack-server.ts";
import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";

/** Fills the disk of the store to the last byte, and frees it again. */
export async function attackDisk(attack: Attack): Promise<void> {
  const { disk, server, chance, tally, scale } = attack;
  if (disk === undefined) return;
  while (!attack.over) {
    await unlessOver(attack, chance.between(500, 2_000));
    disk.fill();
    tally.disksFull += 1;
    await unlessOver(attack, 2 * scale.leaseMs);
    disk.free();
    // Postgres stops when there is no room for its log, and may be unable to start again.
    if (server !== undefined && !(await isReachable(server))) await startAgain(server);
  }
}

async function isReachable({ url }: Server): Promise<boolean> {
  return withPostgres(url, (client) => client.query("select 1")).then(
    () => true,
    () => false,
  );
}
