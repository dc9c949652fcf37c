/**
 * Durable, typed chains of background jobs in the database an application already has.
 *
 * @module
 */
export { createClient } from "./client/create-client.ts";
export { createInProcessNotifyAdapter } from "./in-process/notify-adapter.ts";
export { createInProcessStateAdapter } from "./in-process/state-adapter.ts";
export type { AttemptError } from "./model/attempt-error.ts";
export { ChainwrightError, FatalError, isChainwrightError, type ChainwrightErrorCode } from "./model/error.ts";
export type { ChainId, JobId } from "./model/ids.ts";
export type { ChainEvent, ChainwrightEvent, PauseEvent, UnreadableReason, WorkerEvent } from "./model/event.ts";
export type { LimitEvent } from "./model/limit-event.ts";
export type { ScheduleEvent } from "./model/schedule-event.ts";
export type { ScheduledTick } from "./model/scheduled-tick.ts";
export type { ChainStatus, JobStatus, OnBlockerFailure } from "./model/status.ts";
export type { Tags } from "./model/tags.ts";
export { consoleObserver, type ConsoleObserverOptions } from "./observers/console-observer.ts";
export type { Clock } from "./ports/clock.ts";
export type { DoctorCheck, FaultKind } from "./model/fault.ts";
export type { NotifyAdapter } from "./ports/notify.ts";
export type { Observer } from "./ports/observer.ts";
export type { StateAdapter } from "./ports/state.ts";
export type { AnyClient } from "./types/any-client.ts";
export type { CancelledStart } from "./types/cancelled-result.ts";
export type {
  ActiveChain,
  CancelledChain,
  Chain,
  ChainCompensation,
  CompletedBlocker,
  CompletedChain,
  FailedChain,
  StartedChain,
  UndeclaredChain,
} from "./types/chain.ts";
export type { CompleteChain, ContinueChain, RetryChain, RetryChains } from "./types/change-chain.ts";
export type { Compensating, CompensatingContext, CompensationStart } from "./types/compensation.ts";
export type { Client } from "./types/client.ts";
export type { BatchResult, EndedJob } from "./types/batch.ts";
export type { BatchHandlerOf, ContextOf, HandlerOf } from "./types/handler-of.ts";
export type { StartChain, StartChains } from "./types/start-chain.ts";
export type { TypesOfSchemas } from "./types/schema-definitions.ts";
export type { InProcessTransaction } from "./in-process/transactions.ts";
export type { Starter, StarterOf, StartOf, TypesOf } from "./types/starter.ts";
export type { ClientOptions } from "./types/create-client.ts";
export { defineJobTypes } from "./types/define-job-types.ts";
export { defineLimits } from "./types/define-limits.ts";
export { defineVersions } from "./types/define-versions.ts";
export type { DoctorFinding, DoctorOptions, DoctorReport } from "./types/doctor.ts";
export type { Env } from "./types/env.ts";
export type {
  AttemptSignal,
  CompleteContext,
  HandlerContext,
  HoldKeyOptions,
  Prepare,
  PrepareContext,
  PrepareOptions,
} from "./types/handler-context.ts";
export type { FailureFilter, FailureGroup, FailureGroups, GroupFailuresOptions } from "./types/failure-groups.ts";
export type { HistoryPoint, JobHistory, JobHistoryOptions } from "./types/job-history.ts";
export type {
  HeldJobInfo,
  JobCounts,
  JobExplanation,
  LostWorkerInfo,
  PausedTypeInfo,
  QueuedJobs,
  WorkerInfo,
} from "./types/job-reports.ts";
export type { JobTypes } from "./types/job-types.ts";
export type { Job, LostAttempt, StoredJob, UndeclaredJob } from "./types/job.ts";
export type { BreakerInfo, DeclaredLimit, LimitInfo } from "./types/limit-reports.ts";
export type { BreakerOptions, Limits, RateOptions } from "./types/limits.ts";
export type {
  ByChainId,
  ByIdOfType,
  ByJobId,
  ByKeyOfType,
  FilterOptions,
  InTransaction,
  LabelOptions,
  Page,
  PageOptions,
  NewestOfChains,
  BlockerFilter,
  PayloadOptions,
  SearchOptions,
  TypeFilter,
} from "./types/list-options.ts";
export type {
  CheckpointContext,
  CheckpointedJob,
  JobLog,
  Once,
  OnceContext,
  OnceOptions,
  OnceTransactionContext,
  ProgressContext,
} from "./types/notes.ts";
export type {
  JobNotes,
  JobUpdate,
  ListNotesOptions,
  LoggedLine,
  NotedValue,
  WatchOptions,
} from "./types/note-calls.ts";
export type { LogLevel } from "./model/note.ts";
export type { AttemptResult, Middleware, MiddlewareAttempt, NextMiddleware } from "./types/middleware.ts";
export type {
  BlockedChainStart,
  ChainRef,
  ChainStart,
  DebounceOption,
  DeduplicationOption,
  ThrottleOption,
  WaitingChainStart,
  WaitingNextStep,
} from "./types/next-step.ts";
export type { ScheduleOption } from "./types/schedule-option.ts";
export type {
  ListSignalsOptions,
  PublishOptions,
  PublishResult,
  PublishSignal,
  SignalChain,
  SignalChains,
  SignalResult,
} from "./types/signal-calls.ts";
export type { Received, SignalledJob, SignalTo, StoredSignalInfo, WaitingOptions, WaitUntil } from "./types/signals.ts";
export type { RetryDecision, RetryOptions, RetryWhen } from "./types/retry.ts";
export type { Completed, Continuation } from "./types/step-result.ts";
export type { StoppedChain } from "./types/stopped-chain.ts";
export { stored, type Stored } from "./types/stored.ts";
export type { ScheduleTimes } from "./model/schedule-times.ts";
export type { DueSchedulesInfo, RecurringSchedule, ScheduleTick } from "./types/recurring.ts";
export type {
  ApplySchedules,
  CreateSchedule,
  ScheduleOf,
  SchedulePolicies,
  UpdateSchedule,
} from "./types/schedule-options.ts";
export type { Processors } from "./types/processors.ts";
export type { UndeclaredName } from "./types/undeclared.ts";
export type { UnreadableJob, UnreadableJobs, UnreadableOptions } from "./types/unreadable.ts";
export type { Versions } from "./types/versions.ts";
export type { ChainOfType, JobOfType, ReadChain, WaitOptions } from "./types/read-calls.ts";
export { createProcessors, createProcessorsWith, forEachJob } from "./worker/create-processors.ts";
export { createWorker, type CreateWorkerOptions } from "./worker/create-worker.ts";
export type { WorkerHealth } from "./worker/health.ts";
export type { WorkerOptions } from "./worker/worker-options.ts";
export type { Worker } from "./worker/worker.ts";
