import { openBystander } from "../store/place.ts";
import type { Hold } from "../store/open-store.ts";
import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";

const holds: readonly [Hold, ...Hold[]] = ["snapshot", "rows", "table"];

/** Foreign transactions on the same tables: an old snapshot, locks on rows in use, and the lock of a table that is altered. */
export async function attackLocks(attack: Attack): Promise<void> {
  const { chance, tally, scale } = attack;
  for (let round = Math.floor(chance.between(0, holds.length)); !attack.over; round += 1) {
    await unlessOver(attack, chance.between(1_000, 3_000));
    const hold = holds[round % holds.length] ?? "snapshot";
    try {
      const bystander = await openBystander(attack.place);
      try {
        await bystander.hold(hold);
        tally.foreignTransactions += 1;
        // A table is locked so briefly that no lease runs out.
        await unlessOver(attack, hold === "table" ? scale.leaseMs / 4 : 2 * scale.leaseMs);
      } finally {
        await bystander.letGo();
      }
    } catch {
      // The server went away, or the lock was not granted in time.
    }
  }
}
