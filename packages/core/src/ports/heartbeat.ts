import type { PausedType } from "./pause.ts";

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

/** What a worker learns with its heartbeat. */
export interface HeartbeatReply {
  /** All job types that are paused. The worker may leave them out of its claims. */
  readonly paused: readonly PausedType[];
}
