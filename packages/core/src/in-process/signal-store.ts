import type { SentSignal } from "../model/signal.ts";
import { nothing } from "../rules/replies.ts";
import type { Publication } from "../rules/signal-rows.ts";
import type { JobRow } from "./row-types.ts";

/** A signal of a chain. */
export interface SignalRow extends SentSignal {
  readonly position: number;
  readonly at: number;
  takenBy: string | undefined;
}

/** The signals of a chain. */
export interface ChainSignals {
  /** In the order of their positions, which have no gaps. */
  readonly rows: SignalRow[];
  readonly ids: Set<string>;
  /** By job type. All before `head` have been taken. */
  readonly untaken: Map<string, { readonly rows: SignalRow[]; head: number }>;
  count: number;
}

/** What the store keeps of signals. */
export interface Signals {
  /** By the first row of the chain. */
  readonly byChain: Map<JobRow, ChainSignals>;
  /** The rows that wait for a topic. */
  readonly waiters: Map<string, Set<JobRow>>;
  readonly kept: Map<string, KeptPublication[]>;
}

/** What a topic keeps. */
export interface KeptPublication extends Publication {
  readonly until: number;
}

export function createSignals(): Signals {
  return { byChain: new Map(), waiters: new Map(), kept: new Map() };
}

/** Called for a row that waits from now on, and again before it does not. */
export function setWaiter({ waiters }: Signals, row: JobRow, isWaiting: boolean): void {
  for (const topic of row.wait?.topics ?? nothing) {
    const rows = waiters.get(topic) ?? new Set();
    if (isWaiting) waiters.set(topic, rows.add(row));
    else if (rows.delete(row) && rows.size === 0) waiters.delete(topic);
  }
}
