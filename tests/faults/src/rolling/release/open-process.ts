import type { StateAdapter } from "chainwright";
import { openJournal, type Journal } from "./journal.ts";
import { openStore } from "./open-store.ts";
import type { RollingOrders } from "./orders.ts";
import type { RollingStore } from "./rolling-store.ts";

/** What the programs of both releases have in common. */
export interface RollingProcess {
  readonly orders: RollingOrders;
  readonly store: RollingStore;
  readonly journal: Journal;
  /** Aborts when the process should end. */
  readonly life: AbortSignal;
}

/** The shortest exchange that is written down. */
const slowMs = 10;

export function openProcess(): RollingProcess {
  const orders = JSON.parse(process.argv[2] ?? "") as RollingOrders;
  const journal = openJournal(orders.journal);
  const opened = openStore(orders.place, orders.connections);
  const life = new AbortController();
  process.stdin.resume();
  process.stdin.once("end", () => life.abort());
  return {
    orders,
    store: { ...opened, stateAdapter: timeExchanges(opened.stateAdapter, journal) },
    journal,
    life: life.signal,
  };
}

/** Resolves when the process should end. */
export async function ending({ life }: RollingProcess): Promise<void> {
  if (life.aborted) return;
  await new Promise((resolve) => life.addEventListener("abort", resolve, { once: true }));
}

/** The same adapter; writes down when an exchange began that took long, and how long. */
function timeExchanges<Tx>(adapter: StateAdapter<Tx>, journal: Journal): StateAdapter<Tx> {
  return {
    ...adapter,
    exchange: async (request, options) => {
      const began = Date.now();
      try {
        return await adapter.exchange(request, options);
      } finally {
        const ms = Date.now() - began;
        if (ms >= slowMs) journal("exchange", began, ms);
      }
    },
  };
}
