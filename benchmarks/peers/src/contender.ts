import type { BackendName } from "@chainwright/backends";
import type { Servers } from "@chainwright/bench-measuring";

/** A job queue that is measured. Any number of processes can use one of its queues at the same time. */
export interface Contender {
  readonly name: string;
  /** Contenders of a league are compared with each other and have the same durability unless their name says otherwise. */
  readonly league: "servers" | "sqlite";
  /** How its handlers end a job: with a value, or in a transaction of their own that can carry the handler's writes. */
  readonly mode: Mode;
  readonly needs: readonly BackendName[];
  /** What it is set to where nothing but a concurrency is asked for, and what its documentation recommends for throughput. */
  readonly settings: { readonly plain: string; readonly recommended: string };
  /** Creates an empty queue. Returns its place (a schema, a prefix or a file), which any process can join. */
  create(servers: Servers): Promise<string>;
  /** Connects this process to the queue at a place. */
  join(servers: Servers, place: string): Promise<OpenContender>;
  /** Removes the queue at a place, once every process has closed it. */
  remove(servers: Servers, place: string): Promise<void>;
}

export type Mode = "value" | "atomic";

/** What every job carries. */
export interface Load {
  readonly text: string;
  /** Steps of the chain after this one; the handler of a queue without chains enqueues the next one. */
  readonly stepsLeft: number;
}

/** How a worker is set: so many jobs at a time, or as its documentation recommends for throughput. */
export type Pace = number | "recommended";

export interface OpenContender {
  enqueue(load: Load): Promise<unknown>;
  /** Undefined where there is no such call. */
  readonly enqueueMany: ((loads: readonly Load[]) => Promise<unknown>) | undefined;
  /** Starts a worker that calls `onJob` in every handler. */
  startWorker(pace: Pace, onJob: OnJob): Promise<RunningWorker>;
  /** Starts the same worker for a type of job that is never enqueued. */
  startIdleWorker(pace: Pace): Promise<RunningWorker>;
  /** Jobs that have not ended, in the store. */
  unsettled(): Promise<number>;
  close(): Promise<void>;
}

export type OnJob = (load: Load) => void;

export interface RunningWorker {
  stop(): Promise<unknown>;
}

export function next(load: Load): Load {
  return { ...load, stepsLeft: load.stepsLeft - 1 };
}
