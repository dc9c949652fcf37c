/**
 * For authors of adapters, drivers and observers: the ports, the records and replies that cross them, checks of options, and the
 * parts of events and reports.
 *
 * @module
 */
export { checkDuration, checkInteger, checkKeys, type OptionKeys } from "./checks/check-options.ts";
export { describeError } from "./checks/describe-error.ts";
export type { NotificationHealth, NotificationStatus } from "./hints/notification-state.ts";
export type { Backoff } from "./model/backoff.ts";
export { causeLines, errorText } from "./model/error-text.ts";
export { blockerFailureErrors, type BlockerFailure } from "./model/blocker-failure.ts";
export { eachChore, type Chore } from "./model/chore.ts";
export type { EventAttempt, EventError, EventJob, NotificationDirection, UpkeepChore } from "./model/event.ts";
export type { BlockerStart, Deduplication, JobStart } from "./model/job-start.ts";
export type { LockHolder } from "./model/lock-holder.ts";
export { lostError } from "./model/lost-error.ts";
export type { Fence, LostReason, OpenStep, Outcome } from "./model/outcome.ts";
export type {
  BlockerCounts,
  BlockerRecord,
  ChainRecord,
  ClaimedBlocker,
  ClaimedJob,
  JobRecord,
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
export { dueAt, type Schedule } from "./model/schedule.ts";
export type { DeduplicationScope } from "./model/status.ts";
export type { Clock, Timer } from "./ports/clock.ts";
export type { InspectReply, InspectRequest, RepairOutcome, RepairRequest, StoreFault } from "./ports/doctor.ts";
export type { Hint, HintListener, HintMessage, NotifyAdapter, Subscription } from "./ports/notify.ts";
export type {
  AttemptStep,
  ContextObserver,
  ObservedAttempt,
  ObservedBlocker,
  Observer,
  PreparedJob,
} from "./ports/observer.ts";
export type {
  CancelItem,
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
export type { MaintainReply, MaintainRequest } from "./ports/maintain.ts";
export type { MigrateOptions, SchemaState } from "./ports/migrate.ts";
export type { Pause, PausedType, PauseRequest } from "./ports/pause.ts";
export type {
  BlockerCountQuery,
  BlockerQuery,
  ChainQuery,
  DueQuery,
  JobCount,
  JobQuery,
  KeyQuery,
  PageQuery,
} from "./ports/query.ts";
export type { Consequences, JobRef, Refusal, Reply, StartedJob, WaitingJob } from "./ports/reply.ts";
export type { StartCall, StartReply } from "./ports/start.ts";
export type { AwaitedChain, CallOptions, CallTime, StateAdapter, TransactionOptions } from "./ports/state.ts";
export { notifyPortVersion, statePortVersion } from "./ports/version.ts";
export { claimName, ownClaimName, splitClaimName, type ClaimKey } from "./model/claim-name.ts";
export { rules } from "./rules/rules.ts";
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
  Rows,
  Wait,
  Waiting,
} from "./rules/rows.ts";
export { createSystemClock } from "./timing/system-clock.ts";

export type { AnyEnv } from "./types/env.ts";
export type { HeldUpReport } from "./worker/held-up-report.ts";
export type { UpkeepFailure } from "./worker/chore-failures.ts";
