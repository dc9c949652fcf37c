import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "./plan.ts";

/** Waits, at most until the attack ends. */
export async function unlessOver(attack: Pick<Attack, "over">, ms: number): Promise<void> {
  const until = Date.now() + ms;
  while (!attack.over && Date.now() < until) await delay(50);
}
