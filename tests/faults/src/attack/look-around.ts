import { setTimeout as delay } from "node:timers/promises";
import { structureRules } from "../oracle/structure-rules.ts";
import type { Attack } from "./plan.ts";

/** The longest time of handlers, pauses, lost connections and transactions together, on a machine with other work. */
const idleLimitMs = 30_000;

/** Checks repeatedly, until the end, the rules that must hold at every moment. */
export async function lookAround(attack: Attack, isOver: () => boolean): Promise<void> {
  const note = (rule: string, count: number): void => {
    if (count > 0) attack.brokenOnTheWay.set(rule, (attack.brokenOnTheWay.get(rule) ?? 0) + count);
  };
  while (!isOver()) {
    await delay(1_000);
    try {
      for (const { name, sql } of structureRules) note(`${name}, on the way`, await attack.examiner.count(sql));
      if (attack.place.kind === "sqlite") continue;
      const sessions = await attack.examiner.sessions();
      const idle = sessions.filter(({ idleInTransactionMs = 0 }) => idleInTransactionMs > idleLimitMs);
      note("sessions idle in transaction for too long", idle.length);
    } catch {
      // The server is away.
    }
  }
}
