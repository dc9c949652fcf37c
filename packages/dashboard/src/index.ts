/**
 * A web dashboard for Chainwright: see, explain and act on chains; safe to mount in production.
 *
 * @module
 */
export type {
  Audit,
  AuditEntry,
  Authorize,
  DashboardFailure,
  DashboardOptions,
  Principal,
  Redact,
  Redactable,
} from "./options.ts";
export type { Action, Role } from "./protocol.ts";
