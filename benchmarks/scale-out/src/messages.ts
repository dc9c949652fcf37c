import type { Servers } from "@chainwright/bench-measuring";
import type { Mode } from "@chainwright/bench-peers";

/** A queue, and the workers that a process is to run on it. */
export interface Post {
  readonly row: string;
  readonly mode: Mode;
  readonly concurrency: number;
  readonly servers: Servers;
  readonly place: string;
  readonly isIdle: boolean;
}

/** What the parent asks of a worker process, one request at a time. Each reply is the process's usage. */
export type Request =
  | { readonly ask: "join"; readonly post: Post }
  /** Runs so many jobs, and stops. */
  | { readonly ask: "warm up"; readonly jobs: number }
  /** Usage is counted from here, and CPU from the moment at which so many jobs have begun. */
  | { readonly ask: "mark"; readonly lead: number }
  | { readonly ask: "start" }
  | { readonly ask: "usage" }
  /** Reports from here on when each handler begins. */
  | { readonly ask: "watch" }
  | { readonly ask: "close" };

/** Since the mark. */
export interface Usage {
  readonly ran: number;
  /** Jobs after the lead, and the CPU since then; all of both if the process did not get that far. */
  readonly counted: number;
  readonly cpuMicros: number;
}

/**
 * What a worker process reports unasked: how many jobs it has run since the mark, once none has begun for a moment; or the
 * moment at which a handler began.
 */
export type Report = { readonly ran: number } | { readonly begun: string; readonly at: number };

export type Message = Report | { readonly usage: Usage } | { readonly failure: string };
