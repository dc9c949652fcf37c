import type { PayloadView } from "./views.ts";

/**
 * What somebody may do: a viewer sees, an operator retries, triggers and cancels, an admin deletes as well.
 *
 * @example
 * const roles: Record<string, Role> = { "ada@example.com": "admin", "grace@example.com": "operator" };
 * const authorize: Authorize = async (request) => {
 *   const user = await sessionOf(request);
 *   return user === undefined ? null : { role: roles[user.email] ?? "viewer" };
 * };
 */
export type Role = "viewer" | "operator" | "admin";

/**
 * What can be done to chains and jobs.
 *
 * @example
 * const grave: ReadonlySet<Action> = new Set(["cancel", "delete"]);
 * const audit: Audit = ({ action, name, ids }) => {
 *   if (grave.has(action)) alerts.send(`${name}: ${action} ${ids.length} chains`);
 * };
 */
export type Action = "retry" | "trigger" | "cancel" | "delete";

/** GET session */
export interface SessionResponse {
  readonly role: Role;
  /** Who it is, where `authorize` says so. */
  readonly name: string | undefined;
  readonly actions: readonly Action[];
  /** The most items in one action. */
  readonly maxItems: number;
  /** The server's clock: relative times start from here. */
  readonly now: number;
}

/** POST preview, POST act */
export interface ActionRequest {
  readonly action: Action;
  /** Chains; jobs to trigger. At most `maxItems` of the session. */
  readonly ids: readonly string[];
  /** With `cancel`. */
  readonly reason?: string;
  /** With `delete`: also the chains that they block. */
  readonly cascade?: boolean;
  /**
   * With `retry`: changes to the inputs of the steps where the chains stopped, the same ones to each (JSON Patch, RFC 6902,
   * without the operations that read). What is not named stays as it is, also what `redact` hides.
   */
  readonly edit?: readonly EditOperation[];
  /** With `edit`: the type of step that it is written for; a chain that stopped elsewhere is refused. */
  readonly typeName?: string;
}

export type EditOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

export interface ActionResponse {
  readonly action: Action;
  readonly done: number;
  readonly refused: number;
  /** In the order of the request. */
  readonly results: readonly ActionResult[];
  /** With `delete`: all that was deleted, cascades included. */
  readonly deleted: readonly string[];
}

export interface ActionResult {
  readonly id: string;
  readonly ok: boolean;
  /** Where refused: a code of Chainwright's, and what to do. */
  readonly code?: string;
  readonly message?: string;
}

/** POST preview: as the action would answer now, and the first inputs as they would be. */
export interface PreviewResponse extends ActionResponse {
  readonly inputs: readonly { readonly id: string; readonly before: PayloadView; readonly after: PayloadView }[];
}
