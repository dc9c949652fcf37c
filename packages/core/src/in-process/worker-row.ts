import type { HeldJob, WorkerRecord } from "../model/record.ts";

/** What the store keeps of a worker. */
export interface WorkerRow {
  readonly worker: WorkerRecord;
  readonly aliveUntil: number;
  /** What it held when another worker noticed its silence. Undefined: no one has. */
  readonly held: readonly HeldJob[] | undefined;
}
