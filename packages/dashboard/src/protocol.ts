/*
 * What the dashboard's server and its web UI say to each other: JSON over HTTP, moments in milliseconds since 1970. Every
 * text in here (type names, ids, errors, payloads) came from elsewhere and is to be shown, never run.
 */

/** The API, relative to the base path: `fetch(new URL(routes.overview.path, document.baseURI))`. */
export const routes = {
  session: { method: "GET", path: "-/session", role: "viewer" },
  overview: { method: "GET", path: "-/overview", role: "viewer" },
  chains: { method: "GET", path: "-/chains", role: "viewer" },
  chain: { method: "GET", path: "-/chain", role: "viewer" },
  steps: { method: "GET", path: "-/steps", role: "viewer" },
  blockers: { method: "GET", path: "-/blockers", role: "viewer" },
  dependents: { method: "GET", path: "-/dependents", role: "viewer" },
  job: { method: "GET", path: "-/job", role: "viewer" },
  failed: { method: "GET", path: "-/failed", role: "viewer" },
  schedule: { method: "GET", path: "-/schedule", role: "viewer" },
  events: { method: "GET", path: "-/events", role: "viewer" },
  /** What an action would do, found out by doing it in a transaction that is rolled back. */
  preview: { method: "POST", path: "-/preview", role: "operator" },
  /** Needs `admin` to delete. */
  act: { method: "POST", path: "-/act", role: "operator" },
} as const satisfies Readonly<Record<string, Route>>;

/** One entry of the table. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The least that may call it. */
  readonly role: Role;
}

/** The header, with any value, that every POST carries beside `content-type: application/json`: no form can send it. */
export const requestHeader = "x-chainwright-dashboard";

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

export type ChainStatus = "active" | "completed" | "failed" | "cancelled";
export type JobStatus = "blocked" | "scheduled" | "ready" | "running" | "completed" | "failed" | "cancelled";
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

/** Any answer that is not 2xx. */
export interface ErrorAnswer {
  readonly error: {
    /** `unauthorised`, `forbidden`, `not-found`, `invalid-request`, `busy`, `internal`, or a code of Chainwright's. */
    readonly code: string;
    /** For a person. */
    readonly message: string;
    /** With `internal`: find it in the server's log. */
    readonly id?: string;
  };
}

/** GET session */
export interface SessionAnswer {
  readonly role: Role;
  /** Who it is, where `authorize` says so. */
  readonly name: string | undefined;
  readonly actions: readonly Action[];
  /** The most items in one action. */
  readonly maxItems: number;
  /** The server's clock: relative times start from here. */
  readonly now: number;
}

/** One page of a list; `nextCursor` absent: the last one. */
export interface Page<out Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
  readonly now: number;
  /**
   * Set when a filter found less than a page among as many rows as one look may cost: everything up to this moment has been
   * looked through, and `nextCursor` goes on from there.
   */
  readonly searchedTo: number | undefined;
}

export type Counts = Readonly<Record<JobStatus, number>>;

/** GET overview */
export interface OverviewAnswer {
  readonly now: number;
  readonly totals: Counts;
  /** The busiest first; at most {@link types} of them, the rest is counted in `moreTypes`. */
  readonly types: readonly TypeOverview[];
  readonly moreTypes: number;
  readonly workers: readonly WorkerView[];
  /** Of all types together. */
  readonly series: readonly SeriesPoint[];
  readonly sampling: Sampling;
}

/** What stands behind rates and charts: counts that this server compared while somebody was looking. */
export interface Sampling {
  /** The first sample that still counts; undefined: there is none yet. */
  readonly since: number | undefined;
  readonly everyMs: number;
  /** Older samples are dropped. */
  readonly windowMs: number;
}

export interface TypeOverview {
  readonly typeName: string;
  readonly counts: Counts;
  /** How long its oldest ready job has waited. */
  readonly oldestReadyMs: number | undefined;
  /** Live workers that handle it. */
  readonly workers: number;
  /** Since `sampling.since`; undefined before there are two samples. */
  readonly completedPerMinute: number | undefined;
  readonly failedPerMinute: number | undefined;
  /** Run times of the last jobs that ended, found in a bounded look. */
  readonly duration: DurationView | undefined;
  readonly series: readonly SeriesPoint[];
}

export interface DurationView {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** How many jobs stand behind it. */
  readonly samples: number;
}

/** What ended between the point before and this one. */
export interface SeriesPoint {
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
  /** How long those ran of which the run time was looked at; undefined: none was. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

export interface WorkerView {
  readonly id: string;
  readonly name: string;
  /** The first hundred. */
  readonly typeNames: readonly string[];
  readonly moreTypeNames: number;
  readonly concurrency: number;
  /** Jobs leased to it now. */
  readonly holds: number;
  readonly startedAt: number;
  readonly lastSeenAt: number;
}

/** GET chains?typeName&status&id&from&until&errorText&order&cursor&limit; `typeName`, `status` and `id` may come many times. */
export interface ChainsQuery {
  readonly typeName?: readonly string[];
  readonly status?: readonly ChainStatus[];
  /** Of chains, or of jobs, whose chains are answered then. */
  readonly id?: readonly string[];
  readonly from?: number;
  readonly until?: number;
  readonly errorText?: string;
  readonly order?: "newest" | "oldest";
  readonly cursor?: string;
  /** Up to 100; 50 unless set. */
  readonly limit?: number;
}

export type ChainsAnswer = Page<ChainView>;

export interface ChainView {
  readonly id: string;
  /** The entry type. */
  readonly typeName: string;
  readonly status: ChainStatus;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
  /** While failed. */
  readonly error: ErrorView | undefined;
  /** While cancelled. */
  readonly reason: string | undefined;
}

/** An attempt that did not succeed. In lists texts are cut, and there is no stack. */
export interface ErrorView {
  readonly attempt: number;
  readonly at: number;
  readonly workerId: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** A payload, after `redact`. Large ones come with GET job only. */
export type PayloadView =
  | { readonly kind: "value"; readonly value: unknown; readonly bytes: number }
  | { readonly kind: "large"; readonly bytes: number }
  | { readonly kind: "none" };

/** GET chain?id */
export interface ChainAnswer {
  readonly now: number;
  readonly chain: ChainView;
  readonly input: PayloadView;
  readonly output: PayloadView;
  /** The first page of its steps, oldest first; more with GET steps. */
  readonly steps: Page<StepView>;
  /** The newest step: the open one, or the one where it ended. It stands among `steps` unless the chain is long. */
  readonly lastStep: StepView | undefined;
  /** Why the open step is not running. */
  readonly explanation: ExplanationView | undefined;
  /** Jobs that wait, or waited, for this chain. */
  readonly dependents: Page<DependentView>;
}

/** GET steps?id&cursor: of a chain */
export type StepsAnswer = Page<StepView>;

export interface StepView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  /** From 1. */
  readonly step: number;
  readonly status: JobStatus;
  readonly priority: number;
  readonly attempt: number;
  readonly createdAt: number;
  readonly scheduledAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly leasedBy: string | undefined;
  readonly leasedUntil: number | undefined;
  readonly endedAt: number | undefined;
  readonly continuedAs: string | undefined;
  readonly blockersLeft: number;
  readonly onBlockerFailure: "fail" | "wait";
  readonly input: PayloadView;
  readonly output: PayloadView;
  /** The last attempts' errors, oldest first. */
  readonly errors: readonly ErrorView[];
  readonly blockers: Page<BlockerView>;
}

export interface BlockerView {
  readonly position: number;
  readonly chain: ChainView;
}

/** GET blockers?id&cursor: of a job */
export type BlockersAnswer = Page<BlockerView>;

export interface DependentView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly status: JobStatus;
  readonly createdAt: number;
}

/** GET dependents?id&cursor: of a chain */
export type DependentsAnswer = Page<DependentView>;

export interface ExplanationView {
  readonly jobId: string;
  readonly status: JobStatus;
  /** One sentence for a person. */
  readonly summary: string;
  /** The blockers that have not completed, the first hundred. */
  readonly blockedBy: readonly { readonly id: string; readonly typeName: string; readonly status: ChainStatus }[];
  readonly dueAt: number | undefined;
  readonly leasedBy: string | undefined;
  readonly leasedUntil: number | undefined;
  /** Jobs of its type that go first, counted up to 1,000. */
  readonly ahead: number | undefined;
  /** Names of live workers that handle its type. */
  readonly workers: readonly string[];
}

/** GET job?id: one step with its whole payloads and errors */
export interface JobAnswer {
  readonly now: number;
  readonly job: StepView;
  readonly explanation: ExplanationView | undefined;
}

/**
 * GET failed?typeName&cursor: failed steps grouped by type and error. Groups are made of the newest failures, a window of
 * them, so that it costs the same whatever has failed before; `nextCursor` looks at the window after this one.
 */
export interface FailedAnswer {
  readonly now: number;
  readonly groups: readonly FailedGroup[];
  /** Failed steps that were looked at. */
  readonly looked: number;
  /** All that there are, of the type or types asked for. */
  readonly total: number;
  readonly nextCursor: string | undefined;
}

export interface FailedGroup {
  /** Stays the same from one look to the next. */
  readonly key: string;
  /** The step's type. */
  readonly typeName: string;
  readonly errorName: string;
  /** The newest one's; numbers and ids in it differ from step to step. */
  readonly message: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Newest first: what a bulk retry names. */
  readonly chainIds: readonly string[];
}

/** GET schedule?typeName&cursor&limit: what is due when, the soonest first */
export type ScheduleAnswer = Page<ScheduledView> & { readonly total: number };

export interface ScheduledView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly dueAt: number;
  readonly attempt: number;
  /** Why it is tried again. */
  readonly lastError: ErrorView | undefined;
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

export interface ActionAnswer {
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
export interface PreviewAnswer extends ActionAnswer {
  readonly inputs: readonly { readonly id: string; readonly before: PayloadView; readonly after: PayloadView }[];
}

/**
 * GET events?chain: server-sent events, named by `type`, their data this JSON. Sent when something differs from the time
 * before, which one look for all listeners finds out. `chain` (up to ten times) also watches these chains.
 */
export type LiveEvent =
  | ({ readonly type: "overview" } & OverviewAnswer)
  /** Some chain began, ended or went on: lists may be stale. */
  | { readonly type: "changed"; readonly now: number }
  /** A watched chain changed, or is gone. */
  | { readonly type: "chain"; readonly id: string; readonly exists: boolean; readonly now: number };
