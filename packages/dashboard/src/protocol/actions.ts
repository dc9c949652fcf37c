import type { SignalToSend } from "./signals.ts";
import type { UpcomingRun } from "./schedules.ts";
import type { PayloadView } from "./views.ts";

/**
 * What a person may do: a viewer reads; an operator also retries, triggers and cancels, sends signals, pauses and resumes job types, changes, resets,
 * pauses and resumes limits, and pauses, resumes, triggers, edits and resets recurring schedules; an admin also deletes.
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
 * An action on chains, jobs, job types, limits or recurring schedules.
 *
 * @example
 * const grave: ReadonlySet<Action> = new Set(["cancel", "delete"]);
 * const audit: Audit = ({ action, name, ids }) => {
 *   if (grave.has(action)) alerts.send(`${name}: ${action} ${ids.length} chains`);
 * };
 */
export type Action =
  | "retry"
  | "trigger"
  | "cancel"
  | "delete"
  | "send-signal"
  | "pause"
  | "resume"
  | "change-limit"
  | "reset-limit"
  | "pause-limit"
  | "resume-limit"
  | "pause-schedule"
  | "resume-schedule"
  | "trigger-schedule"
  | "edit-schedule"
  | "reset-schedule"
  | "delete-schedule";

/**
 * What an action asks of a limit: its new numbers, or for how long it is paused.
 *
 * @example
 * const numberOf = ({ concurrency }: LimitNumbers) => (concurrency === undefined ? "as it was" : String(concurrency));
 */
export interface LimitNumbers {
  /** With `change-limit`; left out, it stays as it is. */
  readonly concurrency?: number | undefined;
  /** With `change-limit`; left out, it stays as it is. */
  readonly rate?: { readonly count: number; readonly perMs: number; readonly spread?: boolean | undefined } | undefined;
  /** With `pause-limit`: after this time the pause ends by itself. */
  readonly forMs?: number | undefined;
}

/** GET session */
export interface SessionResponse {
  readonly role: Role;
  /** The name that `authorize` returned. */
  readonly name: string | undefined;
  readonly actions: readonly Action[];
  /** Why the database takes no writes, so that no action is possible; absent if it takes them, or that is not known. */
  readonly readOnly: string | undefined;
  /** The most items in one action. */
  readonly maxItems: number;
  /** The server's clock: relative times start from here. */
  readonly now: number;
}

/** POST preview, POST act */
export interface ActionRequest {
  readonly action: Action;
  /**
   * Ids of chains; for `trigger`, ids of jobs; for `pause` and `resume`, names of job types; for limits, ids that `GET limits` returned;
   * for schedules, their ids. At most `maxItems` of the session.
   */
  readonly ids: readonly string[];
  /** With `cancel`, `pause` and the actions on limits. */
  readonly reason?: string;
  /** With `change-limit` and `pause-limit`. */
  readonly change?: LimitNumbers;
  /** With `send-signal`. */
  readonly signal?: SignalToSend;
  /** With `delete`: also deletes the chains that they block. */
  readonly cascade?: boolean;
  /**
   * With `retry`: changes to the inputs of the steps where the chains stopped, the same for each (JSON Patch, RFC 6902,
   * without the operations that read). Values that are not named stay unchanged, including those that `redact` hides.
   */
  readonly edit?: readonly EditOperation[];
  /** With `edit`: the type of step that the edit is for; a chain that stopped at another type is refused. */
  readonly typeName?: string;
  /** With `edit-schedule`, which takes one id: when the schedule ticks. */
  readonly times?: ScheduleTimesEdit;
  /** With `edit-schedule`: refused if the schedule has another revision. */
  readonly ifRevision?: number;
}

/**
 * A pattern in a zone, or an interval.
 *
 * @example
 * const nightly: ScheduleTimesEdit = { cron: "0 3 * * *", timeZone: "Europe/Zurich" };
 */
export interface ScheduleTimesEdit {
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly everyMs?: number | undefined;
}

/**
 * A change of one value inside an input: JSON Patch (RFC 6902) without the operations that read.
 *
 * @example
 * const pathsOf = ({ edit = [] }: AuditEntry) => edit.map(({ op, path }: EditOperation) => `${op} ${path}`);
 */
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

/** POST act */
export interface ActResponse extends ActionResponse {
  /** Whether the application's `audit` took the entry; false is worth a warning. */
  readonly isAudited: boolean;
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
  /** With `edit-schedule`: the next 10 ticks after the edit. */
  readonly runs: readonly UpcomingRun[];
}
