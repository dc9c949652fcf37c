import type { BackendName } from "@chainwright/backends";
import type { ServerCpu, Servers } from "@chainwright/bench-measuring";

/** A job queue at the start line. */
export interface Contender {
  readonly name: string;
  /** Contenders of a league are compared with each other and have the same durability unless their name says otherwise. */
  readonly league: "servers" | "sqlite";
  readonly needs: readonly BackendName[];
  /** What it is set to where nothing but a concurrency is asked for, and what its documentation recommends for throughput. */
  readonly settings: { readonly plain: string; readonly recommended: string };
  /** Returns an empty queue. */
  open(servers: Servers): Promise<OpenContender>;
}

/** What every job carries. */
export interface Load {
  readonly text: string;
  /** Steps of the chain after this one; the handler of a queue without chains enqueues the next one. */
  readonly stepsLeft: number;
}

/** How a worker is set: so many jobs at a time, or as its documentation recommends for throughput. */
export type Pace = number | "recommended";

export interface OpenContender {
  readonly serverCpu: ServerCpu;
  enqueue(load: Load): Promise<unknown>;
  /** Undefined where there is no such call. */
  readonly enqueueMany: ((loads: readonly Load[]) => Promise<unknown>) | undefined;
  /** Calls `onJob` in every handler. */
  startWorker(pace: Pace, onJob: (load: Load) => void): Promise<RunningWorker>;
  /** Jobs that have not ended, in the store. */
  unsettled(): Promise<number>;
  close(): Promise<void>;
}

export interface RunningWorker {
  stop(): Promise<unknown>;
}

export function next(load: Load): Load {
  return { ...load, stepsLeft: load.stepsLeft - 1 };
}
