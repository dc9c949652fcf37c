import type { Servers } from "@chainwright/bench-measuring";

/** A library that can run the jobs of a key one at a time, over all processes. */
export interface KeyedContender {
  readonly name: string;
  /** Creates its tables, empty. Returns their schema. */
  create(servers: Servers): Promise<string>;
  join(servers: Servers, place: string): Promise<OpenKeyed>;
  remove(servers: Servers, place: string): Promise<void>;
}

export interface OpenKeyed {
  start(keys: readonly string[]): Promise<void>;
  /** Runs a worker with this many slots until it is stopped. */
  work(slots: number, handle: (key: string) => Promise<void>): Promise<{ stop(): Promise<void> }>;
  /** How many jobs have not ended. */
  left(): Promise<number>;
  close(): Promise<void>;
}
