import type { AnyClient } from "chainwright";
import type { Action, Role } from "./protocol/actions.ts";

/**
 * What `createDashboard` takes.
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
  /** Where a browser finds it, as in `/jobs`. Default: `/`. */
  readonly basePath?: string | undefined;
  /** Asked before everything else, for every request. */
  readonly authorize: Authorize;
  /** Hides what must not leave the server. What it throws hides the whole value. */
  readonly redact?: Redact | undefined;
  /** Told of every action once its outcome is known, refused ones too. */
  readonly audit?: Audit | undefined;
  /** Told of what went wrong inside, under the id that the browser was shown. Default: `console.error`. */
  readonly onError?: ((failure: DashboardFailure) => void) | undefined;
  /**
   * The origins that browsers see, as in `https://example.com`, where a proxy gives the application another host. Default:
   * the one of the request.
   */
  readonly origins?: readonly string[] | undefined;
}

/**
 * Tells who a request comes from: a role, or `null` to refuse it, or a response of your own (a redirect to a sign-in).
 *
 * @example
 * const authorize: Authorize = async (request) => {
 *   const user = await sessionOf(request.headers.get("cookie"));
 *   return user === undefined ? null : { role: user.isAdmin ? "admin" : "viewer", name: user.email };
 * };
 */
export type Authorize = (request: Request) => Principal | Response | null | Promise<Principal | Response | null>;

/**
 * Somebody who was let in.
 *
 * @example
 * const onCall = new Set(["ada@example.com"]);
 * const principalOf = (name: string): Principal => ({ role: onCall.has(name) ? "operator" : "viewer", name });
 */
export interface Principal {
  readonly role: Role;
  /** For `audit` and the page's corner. */
  readonly name?: string | undefined;
}

/**
 * Answers a value as it may be seen. It is given a copy, and may change it.
 *
 * @example
 * const redact: Redact = (value, { part }) => (part === "output" ? "hidden" : value);
 */
export type Redact = (value: unknown, where: Redactable) => unknown;

/**
 * What is about to be shown. An error is `{ name, message, stack }`, a reason is text.
 *
 * @example
 * const isMail = ({ typeName, part }: Redactable) => typeName.startsWith("mail.") && part === "input";
 * const redact: Redact = (value, where) => (isMail(where) ? "a mail" : value);
 */
export interface Redactable {
  readonly part: "input" | "output" | "error" | "reason";
  readonly typeName: string;
  readonly chainId: string;
}

/**
 * Told of an action.
 *
 * @example
 * const audit: Audit = async ({ name, action, ids }) => await auditLog.write(`${name}: ${action} ${ids.join(" ")}`);
 */
export type Audit = (entry: AuditEntry) => void | Promise<void>;

/**
 * One action as it ended.
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
  /** Chains; of `trigger`, jobs. */
  readonly ids: readonly string[];
  readonly reason: string | undefined;
  readonly cascade: boolean;
  /** Whether inputs were changed. */
  readonly edited: boolean;
  /** Ids that it was done to, and with `delete` what went with them. */
  readonly done: readonly string[];
  /** Ids that it was refused for, and why. */
  readonly refused: readonly { readonly id: string; readonly code: string }[];
  readonly request: Request;
}

/**
 * Something went wrong inside.
 *
 * @example
 * const onError = ({ id, method, path, error }: DashboardFailure) => logger.warn({ id, request: `${method} ${path}`, error });
 * const dashboard = createDashboard({ client, authorize, onError });
 */
export interface DashboardFailure {
  /** What the browser was shown. */
  readonly id: string;
  readonly error: unknown;
  readonly method: string;
  readonly path: string;
}
