import { attackCalls } from "./attack-calls.ts";
import { attackDisk } from "./attack-disk.ts";
import { attackLocks } from "./attack-locks.ts";
import { attackNetwork } from "./attack-network.ts";
import { attackServer } from "./attack-server.ts";
import { attackSessions } from "./attack-sessions.ts";
import type { DeedName } from "./deed-names.ts";
import type { Attack } from "./plan.ts";

/** The attacks of this process; the processes under attack make the others, or start with them. */
const runs: Partial<Record<DeedName, (attack: Attack) => Promise<void>>> = {
  server: attackServer,
  network: attackNetwork,
  sessions: attackSessions,
  locks: attackLocks,
  calls: attackCalls,
  disk: attackDisk,
};

/** Makes the requested attacks until the end. */
export async function doDeeds(attack: Attack): Promise<void> {
  await Promise.all(Array.from(attack.scale.deeds, async (name) => await runs[name]?.(attack)));
}
