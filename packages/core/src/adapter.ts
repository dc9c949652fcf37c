/**
 * For authors of adapters, drivers, observers, and of doors to any client: the ports, the records and replies that cross them, checks of
 * options, the parts of events and reports, and a client without the types of its jobs.
 *
 * @module
 */
export { checkDuration, checkInteger, checkKeys, type OptionKeys } from "./checks/check-options.ts";
export { describeError } from "./checks/describe-error.ts";
export { isErasedClient } from "./client/is-erased-client.ts";
export type { NotificationHealth, NotificationStatus } from "./hints/notification-state.ts";
export type { Backoff } from "./model/backoff.ts";
export { causeLines, errorText } from "./model/error-text.ts";
export { blockerFailureErrors, type BlockerFailure } from "./model/blocker-failure.ts";
export { eachChore, type Chore } from "./model/chore.ts";
export type { EventAttempt, EventJob, NotificationDirection, UpkeepChore } from "./model/event.ts";
export { gathersBy, heldKey, type KeyScope } from "./model/held-key.ts";
export type { EventError } from "./model/event-error.ts";
export type { Compensation } from "./model/compensation.ts";
export type { FollowUp, FollowUpKind, StoppedInput } from "./model/follow-up.ts";
export type { BlockerStart, Debounce, Deduplication, JobStart, Throttle } from "./model/job-start.ts";
export type { BreakerRule, ClaimedLimit, JobLimit, LimitKey, LimitRate, LimitRule } from "./model/limit.ts";
export type { LockHolder } from "./model/lock-holder.ts";
export { lostError } from "./model/lost-error.ts";
export {
  mostLogLines,
  mostMemos,
  type LogLine,
  type LogLineRecord,
  type Memo,
  type MemoRecord,
  type Noted,
  type NotesRecord,
  type Reports,
} from "./model/note.ts";
export type { Fence, LostReason, OpenStep, Outcome } from "./model/outcome.ts";
export type {
  BlockerCounts,
  BlockerRecord,
  ChainRecord,
  ClaimedBlocker,
  ClaimedJob,
  FollowUpRecord,
  Gathers,
  HeldJob,
  JobRecord,
  LapsedLease,
  LostWorkerRecord,
  WorkerRecord,
} from "./model/record.ts";
export {
  checkNotTooNew,
  isContractPending,
  planMigration,
  schemaInUse,
  type Migration,
  type MigrationPlan,
  type PresentSchema,
} from "./model/migration.ts";
export {
  tickKeptMs,
  type ScheduleRecord,
  type ScheduleSettings,
  type SkipReason,
  type TickRecord,
} from "./model/recurring.ts";
export { dueAt, type Schedule } from "./model/schedule.ts";
export {
  endedBy,
  mostBufferedSignals,
  type JobWait,
  type ReceivedSignal,
  type SentSignal,
  type SignalRecord,
  type WaitRecord,
} from "./model/signal.ts";
export { openJobStatuses, type DeduplicationScope } from "./model/status.ts";
export type { Clock, Timer } from "./ports/clock.ts";
export type { InspectReply, InspectRequest, RepairOutcome, RepairRequest, StoreFault } from "./ports/doctor.ts";
export type { Hint, HintListener, HintMessage, NotifyAdapter, Subscription } from "./ports/notify.ts";
export type {
  AttemptStep,
  ContextObserver,
  ObservedAttempt,
  ObservedBatchJob,
  ObservedBlocker,
  ObservedLine,
  ObservedSignal,
  Observer,
  PreparedJob,
} from "./ports/observer.ts";
export type { CompensateItem, CompensateReply } from "./ports/compensate.ts";
export type {
  CancelItem,
  CancelledBlocker,
  CancelledEntry,
  CancelReply,
  InterruptedAttempt,
  RemoveReply,
  RemoveRequest,
  RetryItem,
  RetryReply,
} from "./ports/change.ts";
export type { Claim, ClaimType, ExchangeReply, ExchangeRequest, Settled, SettleReply } from "./ports/exchange.ts";
export type { Heartbeat, HeartbeatReply } from "./ports/heartbeat.ts";
export type { HeldLease, RenewRequest, UnrenewedLease } from "./ports/lease.ts";
export type { LimitChange, LimitDeclaration, LimitQuery, LimitRecord, OpenBreaker } from "./ports/limit.ts";
export type { MaintainReply, MaintainRequest } from "./ports/maintain.ts";
export type { MigrateOptions, SchemaState } from "./ports/migrate.ts";
export type { NoteItem, NoteReply, NotesOf, NotesQuery, StoredMemo } from "./ports/note.ts";
export type { Pause, PausedType, PauseRequest } from "./ports/pause.ts";
export type {
  AwaitedChain,
  BlockerCountQuery,
  BlockerQuery,
  CountQuery,
  ChainQuery,
  DueQuery,
  JobCount,
  QueuedCount,
  JobQuery,
  KeyQuery,
  PageQuery,
  PayloadQuery,
} from "./ports/query.ts";
export type { KeptReads } from "./ports/kept.ts";
export type { CountedAttempts, HistoryQuery, HistoryRecord, HistoryReply } from "./ports/history.ts";
export { addTotals, historySpans, noAttempts, type AttemptTotals } from "./model/history.ts";
export { lostWorkerLimits } from "./model/lost-worker.ts";
export { blockerFailureKind, storedFailureKind } from "./model/stored-failure-kind.ts";
export { failureKindOf, type FailureKind, type FailureText } from "./checks/failure-kind.ts";
export type { FailureGroupRecord, FailureGroupsReply, FailureQuery } from "./ports/failure.ts";
export { omitPayloads } from "./in-process/omit-payloads.ts";
export type { Consequences, JobRef, Refusal, Reply, StartedJob, UnusedSignals, WaitingJob } from "./ports/reply.ts";
export type {
  DueSchedules,
  ScheduleChange,
  ScheduleList,
  ScheduleQuery,
  ScheduleState,
  TickAdvance,
  TickedStart,
  TickItem,
  TickQuery,
  TickReply,
} from "./ports/schedule.ts";
export type { ReplacedInput, StartCall, StartReply } from "./ports/start.ts";
export type { CallOptions, CallTime, TransactionOptions } from "./ports/call.ts";
export type { Delivery, SignalItem, SignalQuery, SignalReply } from "./ports/signal.ts";
export type { StateAdapter } from "./ports/state.ts";
export { notifyPortVersion, statePortVersion } from "./ports/version.ts";
export { claimName, ownClaimName, splitClaimName, type ClaimKey } from "./model/claim-name.ts";
export { rules } from "./rules/rules.ts";
export type { BreakerState } from "./rules/breaker.ts";
export type {
  Blockers,
  Dependent,
  End,
  EndedBy,
  EndedStatus,
  FailedJob,
  Failure,
  Handle,
  Key,
  KeyHolder,
  Place,
  Reopening,
  Replacement,
  Rows,
  Wait,
  Waiting,
} from "./rules/rows.ts";
export type { EndRows, Ends, FollowUpLink, HeldAttempt, StopFacts } from "./rules/end-rows.ts";
export type { NotedBy, NoteRows } from "./rules/note-rows.ts";
export type { JobWaiting, Publication, SignalRows, StoredSignal } from "./rules/signal-rows.ts";
export type { ScheduleRows, TickRows } from "./rules/schedules.ts";
export { createSystemClock } from "./timing/system-clock.ts";

export type { ErasedClient, ErasedItems, ErasedRetry, ErasedSignal, ErasedStart } from "./types/erased-client.ts";
export type { AnyEnv } from "./types/env.ts";
export type { HeldUpReport } from "./worker/held-up-report.ts";
export type { UpkeepFailure } from "./worker/chore-failures.ts";
