import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";
import type { Sky } from "./weather.ts";

const spells: readonly [Sky, ...Sky[]] = [
  "slow",
  "cutting commits",
  "still",
  "cutting",
  "slow commits",
  "losing replies",
  "losing connections",
];

/** Changes the faults of the network between processes and server; it works as long as it was disturbed. */
export async function attackNetwork(attack: Attack): Promise<void> {
  const { server, weather, chance, tally, scale } = attack;
  if (server === undefined) return;
  for (let round = Math.floor(chance.between(0, spells.length)); !attack.over; round += 1) {
    await unlessOver(attack, chance.between(500, 2_000));
    const sky = spells[round % spells.length] ?? "fair";
    const lastsMs = sky === "still" ? 1.5 * scale.leaseMs : chance.between(500, 2_000);
    weather.fairAt = Date.now() + lastsMs;
    weather.sky = sky;
    tally.spellsOfBadWeather += 1;
    await unlessOver(attack, lastsMs);
    weather.sky = "fair";
  }
}
