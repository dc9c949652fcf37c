/** A report of a worker that it is alive. */
export interface Heartbeat {
  readonly workerId: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  readonly holds: number;
  /** How long the report is valid. 0: the worker is gone. */
  readonly aliveForMs: number;
}
