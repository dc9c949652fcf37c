import type { OpenStore } from "../store/open-store.ts";
import type { Journal } from "./journal.ts";
import type { FaultClient } from "./open-client.ts";
import type { Shapes } from "./shapes.ts";

/** Starts chains, and records the results. */
export interface Starter {
  readonly client: FaultClient;
  readonly store: Pick<OpenStore, "begin">;
  readonly journal: Journal;
  readonly delayMs: number;
  readonly keys: number;
  /** The chains to start. */
  readonly shapes: Shapes;
}
