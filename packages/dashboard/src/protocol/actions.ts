import type { PayloadView } from "./views.ts";

/**
 * What a person may do: a viewer reads; an operator also retries, triggers and cancels, and pauses and resumes job types; an admin also
 * deletes.
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
 * An action on chains, jobs or job types.
 *
 * @example
 * const grave: ReadonlySet<Action> = new Set(["cancel", "delete"]);
 * const audit: Audit = ({ action, name, ids }) => {
 *   if (grave.has(action)) alerts.send(`${name}: ${action} ${ids.length} chains`);
 * };
 */
export type Action = "retry" | "trigger" | "cancel" | "delete" | "pause" | "resume";

/** GET session */
export interface SessionResponse {
  readonly role: Role;
  /** The name that `authorize` returned. */
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
  /** Ids of chains; for `trigger`, ids of jobs; for `pause` and `resume`, names of job types. At most `maxItems` of the session. */
  readonly ids: readonly string[];
  /** With `cancel` and `pause`. */
  readonly reason?: string;
  /** With `delete`: also deletes the chains that they block. */
  readonly cascade?: boolean;
  /**
   * With `retry`: changes to the inputs of the steps where the chains stopped, the same for each (JSON Patch, RFC 6902,
   * without the operations that read). Values that are not named stay unchanged, including those that `redact` hides.
   */
  readonly edit?: readonly EditOperation[];
  /** With `edit`: the type of step that the edit is for; a chain that stopped at another type is refused. */
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
  /** With `delete`: ids of all deleted chains, cascades included. */
  readonly deleted: readonly string[];
}

export interface ActionResult {
  readonly id: string;
  readonly ok: boolean;
  /** If refused: an error code of Chainwright, and what to do. */
  readonly code?: string;
  readonly message?: string;
}

/** POST preview: the response that the action would return now, and the first changed inputs. */
export interface PreviewResponse extends ActionResponse {
  readonly inputs: readonly { readonly id: string; readonly before: PayloadView; readonly after: PayloadView }[];
}
