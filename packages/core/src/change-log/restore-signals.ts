import type { ChainSignals } from "../in-process/signal-store.ts";
import type { Store } from "../in-process/store.ts";
import { rowsOf, type Collected } from "./collect.ts";
import { toKept, toSignal, toText } from "./rows.ts";

/** The signals of chains, in the order of their positions, and what topics keep. */
export function restoreSignals({ jobs, signals }: Store, collected: Collected): void {
  const rows = Array.from(rowsOf(collected, "signal"), ({ key, value }) => ({
    chainId: toText(key[0]),
    row: toSignal(value),
  }));
  for (const { chainId, row } of rows.sort((left, right) => left.row.position - right.row.position)) {
    const chain = jobs.get(chainId);
    if (chain === undefined) continue;
    const all: ChainSignals = signals.byChain.get(chain) ?? { rows: [], ids: new Set(), untaken: new Map(), count: 0 };
    signals.byChain.set(chain, all);
    const queue = all.untaken.get(row.typeName) ?? { rows: [], head: 0 };
    all.untaken.set(row.typeName, queue);
    all.rows.push(row);
    queue.rows.push(row);
    if (row.takenBy === undefined) all.count += 1;
    if (row.signalId !== undefined) all.ids.add(row.signalId);
    while (queue.rows[queue.head]?.takenBy !== undefined) queue.head += 1;
  }
  for (const { key, value } of rowsOf(collected, "kept")) signals.kept.set(toText(key[0]), toKept(value));
}
