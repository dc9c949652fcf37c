import type { Clock } from "chainwright";
import type { ReplayProgress, Tail } from "./replay.ts";

/**
 * When a call is acknowledged, and so what can be lost. `full`: when its data is on the disk. `intervalMs`: when the operating system has
 * it, which brings it to the disk within about this time. `memory`: nothing is written.
 */
export type JournalDurability = "full" | "memory" | { readonly intervalMs: number };

/**
 * Options of a journal.
 *
 * @example
 * const options: JournalStateAdapterOptions = { folder: "./jobs", durability: { intervalMs: 50 } };
 */
export interface JournalStateAdapterOptions {
  /** The folder of the journal, which is created if it is missing. Of a local disk. */
  readonly folder: string;
  /** Default: `full`. */
  readonly durability?: JournalDurability | undefined;
  /** Called while the folder is read. */
  readonly onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Called if the end of the log was cut: a write that no one was told of, because the power failed. */
  readonly onCut?: ((tail: Tail) => void) | undefined;
  /** The source of the time. Default: the system's clock. */
  readonly clock?: Pick<Clock, "now"> | undefined;
}
