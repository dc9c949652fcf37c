import { randomUUID } from "node:crypto";
import type { RollingProcess } from "./open-process.ts";

interface Drawn {
  readonly delayMs: number;
  /** From 0 to 99. */
  readonly number: number;
}

/** Starts a chain of so many jobs. Writes down its id before, and that the start was acknowledged after. */
export async function plannedChain(
  { journal, orders }: RollingProcess,
  jobs: number,
  start: (id: string, drawn: Drawn) => Promise<unknown>,
): Promise<void> {
  const id = randomUUID();
  journal("planned", id, jobs);
  await start(id, {
    delayMs: Math.floor(Math.random() * (orders.delayMs + 1)),
    number: Math.floor(Math.random() * 100),
  });
  journal("acknowledged", id);
}
