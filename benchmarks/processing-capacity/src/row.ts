import type { BackendName } from "@chainwright/backends";
import type { NotifyAdapter, StateAdapter } from "chainwright";
import type { ServerCpu, Servers } from "@chainwright/bench-measuring";
import type { HandWritten } from "./hand-written.ts";
import type { Settings } from "./settings.ts";

/** A pair of adapters to measure, with the bare store beside it. */
export interface Row {
  readonly name: string;
  /** Servers that it cannot do without. */
  readonly needs: readonly BackendName[];
  /** Returns a clean store. Throws an error that says what to do where the store cannot be reached. */
  open(settings: Settings, servers: Servers): Promise<OpenRow>;
}

export interface OpenRow {
  readonly stateAdapter: StateAdapter;
  readonly notifyAdapter?: NotifyAdapter | undefined;
  /** The worker's own, as in another process, so that every hint goes through the broker. */
  readonly workerNotifyAdapter?: NotifyAdapter | undefined;
  readonly floor: Floor;
  readonly serverCpu: ServerCpu;
  close(): Promise<void>;
}

/**
 * What the store can do without the library: the same client, connections, durability and payload, in loops that fit on a
 * screen. Each call is one thing of its kind.
 */
export interface Floor {
  /** Writes one row and commits. */
  insertOne(payload: string): Promise<void>;
  /** Writes a hundred rows in one statement or transaction. */
  insertHundred(payload: string): Promise<void>;
  /** Begins and commits. */
  emptyTransaction(): Promise<void>;
  /** Takes up to a hundred rows and deletes a hundred taken before, in one transaction. Returns how many it took. */
  exchangeHundred(): Promise<number>;
  /** So many times: takes one row, and deletes it in a statement of its own; on ten connections where there are connections. */
  claimAndSettle(count: number): Promise<void>;
  /** Undefined in memory. */
  readonly handWritten?: HandWritten;
  /** Publishes and hears that it was taken; only where there is a broker. */
  publishRoundTrip?(): Promise<void>;
}
