import type { Chore } from "./chore.ts";
import type { LockHolder } from "./lock-holder.ts";
import type { LostReason } from "./outcome.ts";

/** A job, as events name it. */
export interface EventJob {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
}

/** A job with the attempt that the event is about. */
export interface EventAttempt extends EventJob {
  readonly workerId: string;
  /** From 1. */
  readonly attempt: number;
}

/** What went wrong, as an event tells it: names and texts, never a payload. */
export interface EventError {
  /** The error's class or code. */
  readonly name: string;
  readonly message: string;
}

/** A fact about a chain or one of its jobs. Raised after the commit that made it true. */
export type ChainEvent =
  | ({ readonly type: "chain-started" } & EventJob)
  | { readonly type: "chain-deduplicated"; readonly chainId: string; readonly typeName: string }
  | ({
      readonly type: "job-started";
      readonly cause: "start" | "continuation" | "retry";
      readonly status: "ready" | "scheduled" | "blocked" | "failed";
      readonly dueInMs: number | undefined;
    } & EventJob)
  | ({ readonly type: "job-unblocked"; readonly dueInMs: number | undefined } & EventJob)
  | ({ readonly type: "job-blocked" } & EventJob)
  | ({ readonly type: "job-triggered" } & EventJob)
  | ({ readonly type: "job-claimed"; readonly waitedMs: number } & EventAttempt)
  | ({ readonly type: "job-completed" } & EventJob & Partial<EventAttempt>)
  | ({ readonly type: "job-continued"; readonly nextJobId: string; readonly nextTypeName: string } & EventJob &
      Partial<EventAttempt>)
  | ({
      readonly type: "job-retried";
      readonly reason: "error" | "rescheduled" | "released";
      readonly error: EventError | undefined;
      readonly dueInMs: number;
    } & EventAttempt)
  | ({ readonly type: "job-failed"; readonly error: EventError | undefined } & EventJob & Partial<EventAttempt>)
  | ({ readonly type: "job-cancelled" } & EventJob)
  | ({
      readonly type: "attempt-ended";
      readonly durationMs: number;
      readonly error: EventError | undefined;
    } & EventAttempt)
  | ({ readonly type: "lease-lost"; readonly reason: LostReason } & EventAttempt)
  | ({
      /** An attempt has ended, and its outcome has waited for some seconds because other transactions hold its rows. */
      readonly type: "outcome-held-up";
      readonly waitedMs: number;
      /** Whose transactions; empty where the store does not say. */
      readonly holders: readonly LockHolder[];
    } & EventAttempt)
  | ({ readonly type: "chain-completed" } & EventJob)
  | ({ readonly type: "chain-failed" } & EventJob)
  | ({ readonly type: "chain-cancelled"; readonly interrupted: string | undefined } & EventJob)
  | ({ readonly type: "chain-releasing" } & EventJob)
  | ({ readonly type: "chain-retried" } & EventJob)
  | {
      readonly type: "chain-deleted";
      readonly chainId: string;
      readonly typeName: string;
      /** The attempt that was under way. */
      readonly interrupted: { readonly jobId: string; readonly workerId: string } | undefined;
    };

/** What a worker does for the store beside its work: `heartbeat` says that it lives, for the others see {@link Chore}. */
export type UpkeepChore = Chore | "heartbeat";

/** A fact about a worker or its connections. */
export type WorkerEvent =
  | {
      readonly type: "worker-started" | "worker-stopping" | "worker-stopped";
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
       * A worker has started on a pool of one connection. A transaction of a handler leaves nothing for its own calls then, and one
       * that takes longer than `leaseMs` loses its lease: give the pool 2 connections, or better `concurrency` + 2.
       */
      readonly type: "pool-too-small";
      readonly workerId: string;
      readonly connections: number;
      readonly concurrency: number;
      readonly leaseMs: number;
    }
  | { readonly type: "leases-renewed"; readonly workerId: string; readonly count: number }
  | {
      /** Why calls fail: the store does not answer, takes no writes, or makes them wait too long for locks. */
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
      /** The broker's client has given up, or was closed: only a new one brings notifications back. */
      readonly forGood: boolean;
      readonly error: EventError;
    }
  | { readonly type: "notifications-restored"; readonly direction: NotificationDirection };

/** Which notifications an event is about: those that this process hears, or those that it sends. */
export type NotificationDirection = "listening" | "publishing";

/**
 * Everything an observer can be told. Types and fields are stable; new ones may be added.
 *
 * @example
 * const seen: Partial<Record<ChainwrightEvent["type"], number>> = {};
 * const tally: Observer = ({ type }) => {
 *   seen[type] = (seen[type] ?? 0) + 1;
 * };
 * const client = createClient({ stateAdapter, jobTypes, observers: [tally] });
 */
export type ChainwrightEvent = ChainEvent | WorkerEvent;
