import type { OpenStore } from "../store/open-store.ts";
import { overWire } from "./tripwire.ts";
import type { Tripwire } from "./tripwire.ts";

export interface TrippedStore {
  readonly store: OpenStore;
  readonly wire: Pick<Tripwire, "tripped" | "dead">;
  /** Releases what the process held, like the end of a process. */
  readonly vanish: () => void;
}

/** The statements that handlers send themselves are counted with the library's. */
export function withTrippedWrites(store: OpenStore, wire: Tripwire): OpenStore {
  return {
    ...store,
    record: (tx, effect) => overWire(wire, () => store.record(tx, effect)),
    claimKey: (tx, key) => overWire(wire, () => store.claimKey(tx, key)),
    freeKey: (tx, key) => overWire(wire, () => store.freeKey(tx, key)),
    endedAmong: (tx, chainIds) => overWire(wire, () => store.endedAmong(tx, chainIds)),
  };
}
