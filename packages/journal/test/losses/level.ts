import type { JournalDurability } from "../../src/index.ts";

export const callers = 10;

/** Where a process starts chains, at which level, and where it writes down what was acknowledged. */
export interface LossRun {
  readonly folder: string;
  readonly notes: string;
  readonly durability: JournalDurability;
}

/** A start that returned, and when: in milliseconds. */
export interface Acknowledged {
  readonly id: string;
  readonly at: number;
}

/** What accidents of a kind have taken. */
export interface Loss {
  readonly accidents: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** The most starts that one accident took, and the time between the first of them and the accident. */
  readonly mostLost: number;
  readonly mostLostMs: number;
  /** Starts that are there although an earlier one is lost. */
  readonly holes: number;
}

export const noLoss: Loss = { accidents: 0, acknowledged: 0, lost: 0, mostLost: 0, mostLostMs: 0, holes: 0 };

/** Adds an accident: what had been acknowledged, and what is there after it. `at` is its time. */
export function addAccident(
  before: Loss,
  { acknowledged, there, at }: { acknowledged: readonly Acknowledged[]; there: ReadonlySet<string>; at: number },
): Loss {
  const lost = acknowledged.filter(({ id }) => !there.has(id));
  const firstLost = acknowledged.findIndex(({ id }) => !there.has(id));
  const first = Math.min(at, ...lost.map((start) => start.at));
  return {
    accidents: before.accidents + 1,
    acknowledged: before.acknowledged + acknowledged.length,
    lost: before.lost + lost.length,
    mostLost: Math.max(before.mostLost, lost.length),
    mostLostMs: Math.max(before.mostLostMs, at - first),
    holes: before.holes + (firstLost === -1 ? 0 : acknowledged.length - firstLost - lost.length),
  };
}
