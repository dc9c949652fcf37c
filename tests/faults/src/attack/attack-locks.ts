import { openBystander } from "../store/place.ts";
import type { Hold } from "../store/open-store.ts";
import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";

const holds: readonly [Hold, ...Hold[]] = ["snapshot", "rows", "table"];

/** Transactions of somebody else's on the same tables: an old snapshot, locks on rows at work, and what changing a table locks. */
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
        // A table only for as long as nobody's lease runs out for it.
        await unlessOver(attack, hold === "table" ? scale.leaseMs / 4 : 2 * scale.leaseMs);
      } finally {
        await bystander.letGo();
      }
    } catch {
      // The server went away, or it was not its turn in time.
    }
  }
}
