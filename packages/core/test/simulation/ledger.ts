import type { SimulatedProcess } from "./world.ts";

/** What clients requested and received, and therefore what must be true in the end. */
export interface Ledger {
  /** Starts that were acknowledged, in their order: they must be there. */
  readonly acknowledged: string[];
  /** The types of those. */
  readonly types: Map<string, string>;
  /** Starts whose transaction was rolled back by its caller: they must not be there. */
  readonly rolledBack: Set<string>;
  readonly waits: Wait[];
}

/** A wait for a chain. */
export interface Wait {
  readonly process: SimulatedProcess;
  readonly chainId: string;
  result: "completed" | Error | undefined;
}

export function createLedger(): Ledger {
  return { acknowledged: [], types: new Map(), rolledBack: new Set(), waits: [] };
}
