import type { SignalView } from "./signals.ts";
import type { FollowUpView } from "./follow-ups.ts";
import type {
  BatchJobView,
  BlockerView,
  ChainRowView,
  ChainView,
  DependentView,
  ErrorView,
  ExplanationView,
  Page,
  PayloadView,
  StepView,
} from "./views.ts";

/**
 * GET chains?typeName&status&stepType&step&worker&id&tag&key&input&from&until&errorText&order&cursor&limit; `typeName`, `status`, `stepType`, `step`, `id`
 * and `tag` may be repeated. `typeName`: the entry type. `stepType` and `step`: the type and status of the step where the chain is. `worker`:
 * the id of the worker that runs it. `id`: of a chain or of one of its jobs, or one
 * beginning of such ids. `tag`: `name=value`; chains have all of them. `key`: a deduplication key. `input`: `path=value`, a value in the chain's input as it is shown. `order`: `newest` (default) or `oldest`. `limit`: up to 100, by default 50.
 */
export type ChainsResponse = Page<ChainRowView>;

/** GET chain?id: a chain with its steps. */
export interface ChainResponse {
  readonly now: number;
  readonly chain: ChainView;
  readonly input: PayloadView;
  readonly output: PayloadView;
  /** The first page of its steps, oldest first; more with GET steps. */
  readonly steps: Page<StepView>;
  /** The newest step: the open one, or the one where the chain ended. Also in `steps`, unless the chain is long. */
  readonly lastStep: StepView | undefined;
  /** Why the open step is not running. */
  readonly explanation: ExplanationView | undefined;
  /** Jobs that wait or waited for this chain. */
  readonly dependents: Page<DependentView>;
  /** The first signals that it has received; more with GET signals. */
  readonly signals: Page<SignalView>;
  /** What its stop has started: compensations in the order in which they run, then the chain of `whenStopped`. */
  readonly followUps: readonly FollowUpView[];
}

/** GET signals?id&cursor: of a chain, oldest first */
export type SignalsResponse = Page<SignalView>;

/**
 * GET steps?id&order&cursor: of a chain. `order`: `oldest` (default) or `newest`. `cursor`: a `nextCursor`, or the id of any step.
 * GET steps?id&around: the page with this step in its middle, oldest first.
 */
export type StepsResponse = Page<StepView>;

/** GET blockers?id&status&cursor: of a job, in the order in which it names them. `status`: only those; may be repeated. */
export type BlockersResponse = Page<BlockerView>;

/** GET dependents?id&cursor: of a chain */
export type DependentsResponse = Page<DependentView>;

/** GET job?id: one step with complete payloads and errors. */
export interface JobResponse {
  readonly now: number;
  readonly job: StepView;
  readonly explanation: ExplanationView | undefined;
  /** The other jobs of its batches that are there still, each once. */
  readonly batchJobs: readonly BatchJobView[];
}

/**
 * GET failed?typeName&since&group&cursor: failed steps grouped by type, error and the place that threw it. `since`: those that ended then or
 * later. `group`: only the group with this key, for its ids beyond the first. A request looks at a bounded number of failures, the newest
 * first; `nextCursor` continues with older ones, and a page that shows whole groups adds up what the requests returned.
 */
export interface FailedResponse {
  readonly now: number;
  /** The largest. */
  readonly groups: readonly FailedGroup[];
  /** How many groups and failed steps there are in all. With a `redact`: in this window. */
  readonly groupCount: number;
  readonly failureCount: number;
  /** Failed steps in this window. */
  readonly looked: number;
  /** All failed steps of the requested types. */
  readonly total: number;
  readonly nextCursor: string | undefined;
}

export interface FailedGroup {
  /** Names it among the groups of its type. Stable between requests. */
  readonly key: string;
  /** The step's type. */
  readonly typeName: string;
  readonly errorName: string;
  /** The message of the newest step; numbers and ids in it differ between steps. */
  readonly message: string;
  /** The first frame of its stack that is the application's own. */
  readonly frame: string | undefined;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Newest first, up to 500: the ids for a bulk retry. As the store counts: the newest alone, the others are asked for by the key. */
  readonly chainIds: readonly string[];
}

/** GET schedule?typeName&cursor&limit: scheduled jobs, the soonest first */
export type ScheduleResponse = Page<ScheduledView> & { readonly total: number };

export interface ScheduledView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  /** Undefined: it is in none. */
  readonly pool: string | undefined;
  readonly dueAt: number;
  readonly attempt: number;
  /** The error that caused the retry, if any. */
  readonly lastError: ErrorView | undefined;
}
