import type { Output } from "./output/output.ts";
import type { OpenedStore, OpenOptions, StoreOptions } from "./store/open-store.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a command is given for one run. */
export interface Call {
  readonly surroundings: Surroundings;
  readonly out: Output;
  /** How the command line names the store. */
  readonly storeOptions: StoreOptions;
  /** Opens the store that the options name; it is closed when the command ends. */
  open(options?: OpenOptions): Promise<OpenedStore>;
  /** Ends with the program, at its end or when it is stopped. */
  readonly untilEnd: (close: () => Promise<void>) => void;
}

/** Runs the work of a command; it returns the exit code. */
export type Perform = (work: (call: Call) => Promise<number>) => Promise<void>;
