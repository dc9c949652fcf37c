import type { Output } from "./output/output.ts";
import type { OpenedStore, OpenOptions } from "./store/open-store.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a command is given for one run. */
export interface Call {
  readonly surroundings: Surroundings;
  readonly out: Output;
  /** Opens the store that the options name; it is closed when the command ends. */
  open(options?: OpenOptions): Promise<OpenedStore>;
  /** Ends with the program, at its end or when it is stopped. */
  readonly untilEnd: (close: () => Promise<void>) => void;
}

/** Runs the work of a command; it returns the exit code. */
export type Perform = (work: (call: Call) => Promise<number>) => Promise<void>;
