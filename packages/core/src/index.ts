/**
 * Durable, typed chains of background jobs in the database an application already has.
 *
 * @module
 */
export { createInProcessNotifyAdapter } from "./in-process/notify-adapter.ts";
export { createInProcessStateAdapter } from "./in-process/state-adapter.ts";
export type { AttemptError } from "./model/attempt-error.ts";
export type { Backoff } from "./model/backoff.ts";
export { blockerFailureErrors, type BlockerFailure } from "./model/blocker-failure.ts";
export { ChainwrightError, FatalError, isChainwrightError, type ChainwrightErrorCode } from "./model/error.ts";
export type { ChainEvent, ChainwrightEvent, EventAttempt, EventError, EventJob, WorkerEvent } from "./model/event.ts";
export type { BlockerStart, Deduplication, JobStart } from "./model/job-start.ts";
export type { Fence, LostReason, OpenStep, Outcome } from "./model/outcome.ts";
export type { BlockerRecord, ChainRecord, ClaimedBlocker, ClaimedJob, JobRecord, WorkerRecord } from "./model/record.ts";
export { dueAt, type Schedule } from "./model/schedule.ts";
export type { ChainStatus, DeduplicationScope, JobStatus, OnBlockerFailure } from "./model/status.ts";
export { consoleObserver, type ConsoleObserverOptions } from "./observers/console-observer.ts";
export type { Clock, Timer } from "./ports/clock.ts";
export type { Hint, HintListener, NotifyAdapter, Subscription } from "./ports/notify.ts";
export type { ContextObserver, ObservedAttempt, Observer } from "./ports/observer.ts";
export type {
  BlockerQuery,
  CallOptions,
  CancelItem,
  CancelledChain,
  ChainQuery,
  Claim,
  ClaimType,
  Consequences,
  ExchangeReply,
  ExchangeRequest,
  Heartbeat,
  HeldLease,
  JobCount,
  JobQuery,
  JobRef,
  LostLease,
  MaintainReply,
  MaintainRequest,
  PageQuery,
  Refusal,
  RemovedChain,
  RemoveRequest,
  RenewRequest,
  Reply,
  RetriedChain,
  RetryItem,
  Settled,
  SettleReply,
  StartCall,
  StartReply,
  StartedJob,
  StateAdapter,
} from "./ports/state.ts";
