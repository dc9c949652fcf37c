import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import type { AnyClient } from "chainwright";
import type { RollingProcess } from "./open-process.ts";

const tickMs = 100;

/** A way to start a chain, and its part of all starts. */
interface Way {
  readonly times: number;
  readonly start: () => Promise<void>;
}

/** Starts chains at the rate of the orders until the process should end, and writes down each start that fails. */
export async function runStarter(
  { orders: { rate, backlog }, journal, life }: RollingProcess,
  client: AnyClient,
  ways: readonly Way[],
): Promise<void> {
  const starts = ways.flatMap(({ times, start }) => Array.from({ length: times }, () => start));
  const attempt = async (): Promise<void> => {
    try {
      await starts[Math.floor(Math.random() * starts.length)]?.();
    } catch (error) {
      journal("trouble", inspect(error, { breakLength: Infinity }).replaceAll("\n", " "));
    }
  };
  const perTick = Math.max(1, Math.round((rate * tickMs) / 1_000));
  while (!life.aborted) {
    if ((await openJobs(client)) < backlog) await Promise.all(Array.from({ length: perTick }, attempt));
    await delay(tickMs);
  }
}

async function openJobs(client: AnyClient): Promise<number> {
  const counts = Object.values(await client.countJobs());
  return counts.reduce(
    (sum, count) => (count === undefined ? sum : sum + count.ready + count.running + count.blocked + count.scheduled),
    0,
  );
}
