import type { AnyClient } from "chainwright";
import type { Action, EditOperation, LimitNumbers, Role, ScheduleTimesEdit } from "./protocol/actions.ts";
import type { SignalToSend } from "./protocol/signals.ts";

/**
 * Options of `createDashboard`.
 *
 * @example
 * const options: DashboardOptions = {
 *   client,
 *   basePath: "/jobs",
 *   authorize,
 *   origins: ["https://shop.example.com"],
 *   onError: ({ id, error }) => logger.warn({ id, error }),
 * };
 * const dashboard = createDashboard(options);
 */
export interface DashboardOptions {
  readonly client: AnyClient;
  /** The path at which browsers find the dashboard, such as `/jobs`. Default: `/`. */
  readonly basePath?: string | undefined;
  /** Called first for every request. */
  readonly authorize: Authorize;
  /** Hides values that must not leave the server. If it throws, the whole value is hidden. */
  readonly redact?: Redact | undefined;
  /**
   * Called for every attempt at an action once its outcome is known, also if it was refused or the store failed. If it throws, the failure
   * goes to `onError`, and the person is told that the action was done and is not in the audit.
   */
  readonly audit?: Audit | undefined;
  /** Called for every internal failure, with the id that the browser was shown. Default: `console.error`. */
  readonly onError?: ((failure: DashboardFailure) => void) | undefined;
  /**
   * The origins from which actions may come, such as `https://example.com`. Set it if a proxy gives the application another host name.
   * Default: each origin whose host is the one that the browser addressed (the header `Host`).
   */
  readonly origins?: readonly string[] | undefined;
  /**
   * The hosts by which the application is reached, such as `jobs.example.com` or `localhost:3000`; every request with another header `Host` is
   * refused. Set it if `authorize` trusts a network: a foreign name that resolves to this server (DNS rebinding) would pass. Default: any.
   */
  readonly hosts?: readonly string[] | undefined;
}

/**
 * Returns who sent a request: a principal with a role, `null` to refuse the request, or a response of your own (a redirect to a sign-in).
 *
 * @example
 * const authorize: Authorize = async (request) => {
 *   const user = await sessionOf(request.headers.get("cookie"));
 *   return user === undefined ? null : { role: user.isAdmin ? "admin" : "viewer", name: user.email };
 * };
 */
export type Authorize = (request: Request) => Principal | Response | null | Promise<Principal | Response | null>;

/**
 * What an action is on.
 *
 * @example
 * const isMail = ({ typeName }: ActionTarget): boolean => typeName.startsWith("mail.");
 */
export interface ActionTarget {
  /** The type with which the chain began. */
  readonly typeName: string;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * The sender of an authorised request.
 *
 * @example
 * const onCall = new Set(["ada@example.com"]);
 * const principalOf = (name: string): Principal => ({ role: onCall.has(name) ? "operator" : "viewer", name });
 * const ofTenant = (name: string, tenant: string): Principal => ({
 *   ...principalOf(name),
 *   actions: ["retry", "cancel"],
 *   mayEditInputs: false,
 *   mayActOn: ({ tags }) => tags["tenant"] === tenant,
 * });
 */
export interface Principal {
  readonly role: Role;
  /** Of the actions that the role permits only these. Default: all of them. */
  readonly actions?: readonly Action[] | undefined;
  /** Whether a retry may change inputs. Default: yes. */
  readonly mayEditInputs?: boolean | undefined;
  /**
   * Asked about each chain that an action names, and about each job type that is paused or resumed, which has no tags. What it does not
   * permit is refused, and the rest is done. It does not limit what is shown. Default: everything is permitted.
   */
  readonly mayActOn?: ((target: ActionTarget) => boolean) | undefined;
  /** Passed to `audit` and shown on the page. */
  readonly name?: string | undefined;
}

/**
 * Returns a value as it may be shown. It receives a copy and may change it.
 *
 * @example
 * const redact: Redact = (value, { part }) => (part === "output" ? "hidden" : value);
 */
export type Redact = (value: unknown, where: Redactable) => unknown;

/**
 * Describes a value that is about to be shown. An error is `{ name, message, stack, causes }`, with texts
 * as causes; a reason, a deduplication key and the key of a limit are text; tags are an object. `signal` is the payload of a signal, `memo` a
 * result of `once`, `log` a line as `{ message, data }`.
 *
 * @example
 * const isMail = ({ typeName, part }: Redactable) => typeName.startsWith("mail.") && part === "input";
 * const redact: Redact = (value, where) => (isMail(where) ? "a mail" : value);
 */
export interface Redactable {
  readonly part:
    | "input"
    | "output"
    | "error"
    | "reason"
    | "tags"
    | "deduplicationKey"
    | "limitKey"
    | "signal"
    | "progress"
    | "checkpoint"
    | "memo"
    | "log";
  /** Empty for the key of a limit, which jobs of several types may share. */
  readonly typeName: string;
  /** Empty for the key of a limit and for a recurring schedule. */
  readonly chainId: string;
  /** With `memo`: its name. */
  readonly name?: string | undefined;
  /** With `limitKey`: the name of the limit. */
  readonly limit?: string | undefined;
  /** Who looks. */
  readonly principal: Principal;
}

/**
 * Called with an action and its outcome.
 *
 * @example
 * const audit: Audit = async ({ name, action, ids }) => await auditLog.write(`${name}: ${action} ${ids.join(" ")}`);
 */
export type Audit = (entry: AuditEntry) => void | Promise<void>;

/**
 * One action and its outcome.
 *
 * @example
 * const line = ({ at, name, action, done }: AuditEntry) => `${at.toISOString()} ${name} ${action} ${done.join(" ")}`;
 * const dashboard = createDashboard({ client, authorize, audit: async (entry) => await auditLog.write(line(entry)) });
 */
export interface AuditEntry {
  readonly at: Date;
  readonly role: Role;
  readonly name: string | undefined;
  readonly action: Action;
  /**
   * Ids of chains; for `trigger`, ids of jobs; for `pause` and `resume`, names of job types; for limits, JSON texts: `["tenant"]` is all
   * keys of a limit, `["tenant","acme"]` is one of them; for schedules, their ids.
   */
  readonly ids: readonly string[];
  readonly reason: string | undefined;
  readonly cascade: boolean;
  /** With `change-limit` and `pause-limit`: what was asked for. */
  readonly change: LimitNumbers | undefined;
  /** With `send-signal`: what was sent. */
  readonly signal: SignalToSend | undefined;
  /** With `retry`: how the inputs were changed. */
  readonly edit: readonly EditOperation[] | undefined;
  /** With `edit-schedule`: the new times. */
  readonly times: ScheduleTimesEdit | undefined;
  /** Ids of changed chains, jobs, limits or schedules, or names of job types; for `delete`, cascaded deletions included. */
  readonly done: readonly string[];
  /** Ids for which the action was refused, with the reason. */
  readonly refused: readonly { readonly id: string; readonly code: string }[];
  /** The store failed: what is in neither list was not done, or its reply was lost. */
  readonly failed: boolean;
  readonly request: Request;
}

/**
 * An internal failure.
 *
 * @example
 * const onError = ({ id, method, path, error }: DashboardFailure) => logger.warn({ id, request: `${method} ${path}`, error });
 * const dashboard = createDashboard({ client, authorize, onError });
 */
export interface DashboardFailure {
  /** The id that the browser was shown. */
  readonly id: string;
  readonly error: unknown;
  readonly method: string;
  readonly path: string;
}
