import type { Chore } from "./chore.ts";
import type { EventError } from "./event-error.ts";
import type { ChainId, JobId } from "./ids.ts";
import type { LimitEvent, LimitReport } from "./limit-event.ts";
import type { LockHolder } from "./lock-holder.ts";
import type { LostReason } from "./outcome.ts";
import type { ScheduleEvent } from "./schedule-event.ts";
import type { SignalEvent } from "./signal-event.ts";

/** The job that an event is about. */
export interface EventJob {
  readonly jobId: JobId;
  readonly chainId: ChainId;
  readonly typeName: string;
}

/** The chain that ended, and its last job. */
export interface EndedChain extends EventJob {
  /** Set if the store knows that a process awaits the chain. */
  readonly awaited?: true;
}

/** A job that waits, or will. */
export interface WaitingJob extends EventJob {
  /** The name under which workers claim it, where that is not its type: it has a version above 1, or a pool. */
  readonly claimName?: string | undefined;
}

/** The job and attempt that an event is about. */
export interface EventAttempt extends EventJob {
  readonly workerId: string;
  /** From 1. */
  readonly attempt: number;
}

/**
 * Why a stored value cannot be read: its version is above what this code knows; the function that makes the next version of it threw an
 * error; it does not fit its schema; the schema threw an error; or the store did not return what is needed to read it.
 */
export type UnreadableReason = "newer-version" | "upcaster" | "schema" | "schema-threw" | "store";

/** A fact about a chain or one of its jobs. Raised after the commit that made it true. */
export type ChainEvent =
  | ({
      readonly type: "chain-started";
      /** Milliseconds until it is cancelled if it is still active. Left out: it has no deadline. */
      readonly deadlineInMs?: number | undefined;
    } & EventJob)
  | { readonly type: "chain-deduplicated"; readonly chainId: ChainId; readonly typeName: string }
  | ({
      /** A start with `debounce` or `throttle` has replaced the input of a chain that waits. */
      readonly type: "chain-debounced";
      readonly by: "debounce" | "throttle";
      /** Undefined: it is due already. */
      readonly dueInMs: number | undefined;
      /** Whether workers have to hear of it: it is due earlier than before, or it has another version or pool. */
      readonly announced: boolean;
    } & WaitingJob)
  | ({
      readonly type: "job-started";
      readonly cause: "start" | "continuation" | "retry";
      readonly status: "ready" | "scheduled" | "blocked" | "waiting" | "failed";
      readonly dueInMs: number | undefined;
    } & WaitingJob)
  | ({ readonly type: "job-unblocked"; readonly dueInMs: number | undefined } & WaitingJob)
  | ({ readonly type: "job-blocked" } & EventJob)
  | ({ readonly type: "job-triggered" } & WaitingJob)
  | SignalEvent
  | ({
      readonly type: "job-claimed";
      readonly waitedMs: number;
      /** The names of the limits that it is under. */
      readonly limits?: readonly string[] | undefined;
    } & EventAttempt)
  | ({ readonly type: "job-completed" } & EventJob & Partial<EventAttempt>)
  | ({ readonly type: "job-continued"; readonly nextJobId: JobId; readonly nextTypeName: string } & EventJob &
      Partial<EventAttempt>)
  | ({
      readonly type: "job-retried";
      readonly reason: "error" | "rescheduled" | "released";
      readonly error: EventError | undefined;
      readonly dueInMs: number;
      /** Set if `retry.when` decided it. */
      readonly decidedBy?: "when" | undefined;
    } & EventAttempt &
      WaitingJob)
  | ({
      readonly type: "job-failed";
      readonly error: EventError | undefined;
      /** Set if `retry.when` decided it. */
      readonly decidedBy?: "when" | undefined;
    } & EventJob &
      Partial<EventAttempt>)
  | ({ readonly type: "job-cancelled" } & EventJob)
  | ({
      readonly type: "attempt-ended";
      readonly durationMs: number;
      readonly error: EventError | undefined;
      /** How many jobs the call of the handler got, for a type that is handled in batches. */
      readonly batchSize?: number | undefined;
    } & EventAttempt)
  | ({ readonly type: "lease-lost"; readonly reason: LostReason } & EventAttempt)
  | ({
      /** A handler wrote lines faster than the store took them: the oldest of them were never written. */
      readonly type: "log-lines-dropped";
      readonly count: number;
    } & EventAttempt)
  | ({
      /** A handler broke a rule in a way that does not change the outcome of its attempt. */
      readonly type: "handler-mistake";
      readonly error: EventError;
    } & EventAttempt)
  | ({
      /**
       * The handler was not called, because the stored input, or the input or output of a blocker, cannot be read. The job is tried
       * again a minute later, and no attempt is used up.
       */
      readonly type: "input-unreadable";
      readonly payload: "input" | "output" | "signal" | "checkpoint";
      /** The type that the stored value is of: that of the job or of a blocker. */
      readonly ofTypeName: string;
      /** The version in which it is stored. */
      readonly version: number;
      readonly reason: UnreadableReason;
      readonly error: EventError;
    } & EventAttempt)
  | ({
      /** An attempt has ended, and its outcome has waited for some seconds because other transactions have locked its rows. */
      readonly type: "outcome-held-up";
      readonly waitedMs: number;
      /** The sessions that hold the locks; empty if the store does not report them. */
      readonly holders: readonly LockHolder[];
    } & EventAttempt)
  | ({ readonly type: "chain-completed" } & EndedChain)
  | ({ readonly type: "chain-failed" } & EndedChain)
  | ({ readonly type: "chain-cancelled"; readonly interrupted: string | undefined } & EndedChain)
  | ({ readonly type: "chain-releasing" } & EventJob)
  | ({ readonly type: "chain-retried" } & EventJob)
  | {
      readonly type: "chain-deleted";
      readonly chainId: ChainId;
      readonly typeName: string;
      /** The attempt that was running. */
      readonly interrupted: { readonly jobId: JobId; readonly workerId: string } | undefined;
    };

/** Job types were paused or resumed. Raised after the commit of the call. */
export type PauseEvent =
  | {
      readonly type: "types-paused";
      readonly typeNames: readonly string[];
      readonly reason: string | undefined;
      readonly by: string | undefined;
      /** After this time the pause ends by itself. */
      readonly forMs: number | undefined;
    }
  | { readonly type: "types-resumed"; readonly typeNames: readonly string[] };

/**
 * What a worker does for the store beside its jobs: `heartbeat` reports that it is alive, `deadlines` cancels chains whose deadline has passed, `schedules` writes the ticks of schedules,
 * `limits` writes what attempts found out about keys of limits (`holdKey`, failures that a breaker counts); for the others see
 * {@link Chore}.
 */
export type UpkeepChore = Chore | "heartbeat" | "schedules" | "limits" | "deadlines";

/** A fact about a worker or its connections. */
export type WorkerEvent =
  | {
      readonly type: "worker-started" | "worker-paused" | "worker-resumed" | "worker-stopping" | "worker-stopped";
      readonly workerId: string;
      readonly name: string;
    }
  | {
      readonly type: "exchanged";
      readonly workerId: string;
      readonly settled: number;
      readonly claimed: number;
      readonly durationMs: number;
    }
  | {
      /**
       * A worker has started on a pool of one connection. A transaction of a handler then leaves no connection for the worker's
       * own calls, and a job whose transaction takes longer than `leaseMs` loses its lease: give the pool at least 2 connections, or
       * better `concurrency` + 2.
       */
      readonly type: "pool-too-small";
      readonly workerId: string;
      readonly connections: number;
      readonly concurrency: number;
      readonly leaseMs: number;
    }
  | {
      /**
       * A look of a worker found a job that no hint had announced, although notifications work: the process that started it has
       * probably no notify adapter. Give its client the same notify adapter. Until then the worker looks each second, which it does
       * for `pollsOftenForMs`; the event is raised again only after that time.
       */
      readonly type: "job-unannounced";
      readonly workerId: string;
      readonly typeName: string;
      /** How long the job was ready. */
      readonly waitedMs: number;
      readonly pollsOftenForMs: number;
    }
  | LimitReport
  | { readonly type: "leases-renewed"; readonly workerId: string; readonly count: number }
  | {
      /** What handlers noted was written, in one call for all. What `once` writes with `tx` goes with its transaction. */
      readonly type: "notes-written";
      readonly workerId: string;
      readonly memos: number;
      readonly checkpoints: number;
      /** Attempts whose progress or lines were written. */
      readonly reports: number;
      readonly durationMs: number;
    }
  | {
      /**
       * The event loop of the process did not run for longer than a third of the worker's shortest lease: a handler computed, or the
       * process was stopped. No lease can be renewed meanwhile.
       */
      readonly type: "event-loop-blocked";
      readonly workerId: string;
      readonly blockedMs: number;
      readonly leaseMs: number;
    }
  | {
      /**
       * Calls fail because the store does not respond, takes no writes, or makes them wait too long for locks. `store-lost` also
       * reports that a reply of the state adapter could not be read.
       */
      readonly type: "store-lost" | "store-read-only" | "store-locked";
      readonly workerId: string;
      readonly error: EventError;
    }
  | { readonly type: "store-restored"; readonly workerId: string }
  | {
      readonly type: "upkeep-failed";
      readonly workerId: string;
      readonly chore: UpkeepChore;
      readonly error: EventError;
    }
  | { readonly type: "upkeep-restored"; readonly workerId: string; readonly chore: UpkeepChore }
  | {
      readonly type: "notifications-lost";
      readonly direction: NotificationDirection;
      /** The broker's client has given up or was closed: only a new one restores notifications. */
      readonly forGood: boolean;
      readonly error: EventError;
    }
  | { readonly type: "notifications-restored"; readonly direction: NotificationDirection };

/** The notifications that an event is about: those that this process receives, or those that it sends. */
export type NotificationDirection = "listening" | "publishing";

/**
 * All events that an observer receives. Types and fields are stable; new ones may be added.
 *
 * @example
 * const seen: Partial<Record<ChainwrightEvent["type"], number>> = {};
 * const tally: Observer = ({ type }) => {
 *   seen[type] = (seen[type] ?? 0) + 1;
 * };
 * const client = createClient({ stateAdapter, jobTypes, observers: [tally] });
 */
export type ChainwrightEvent = ChainEvent | PauseEvent | ScheduleEvent | LimitEvent | WorkerEvent;
