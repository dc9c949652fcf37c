/**
 * A web dashboard for Chainwright: see, explain and act on chains; safe to mount in production.
 *
 * @module
 */
export { createDashboard, type Dashboard } from "./create-dashboard.ts";
export type {
  ActionTarget,
  Audit,
  AuditEntry,
  Authorize,
  DashboardFailure,
  DashboardOptions,
  Principal,
  Redact,
  Redactable,
} from "./options.ts";
export { redactKeys } from "./redact-keys.ts";
export type { Action, EditOperation, LimitNumbers, Role, ScheduleTimesEdit } from "./protocol/actions.ts";
export type { SignalToSend } from "./protocol/signals.ts";
