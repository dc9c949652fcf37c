import type {
  BlockerView,
  ChainStatus,
  ChainView,
  DependentView,
  ErrorView,
  ExplanationView,
  Page,
  PayloadView,
  StepView,
} from "./views.ts";

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

export type ChainsResponse = Page<ChainView>;

/** GET chain?id */
export interface ChainResponse {
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
export type StepsResponse = Page<StepView>;

/** GET blockers?id&cursor: of a job */
export type BlockersResponse = Page<BlockerView>;

/** GET dependents?id&cursor: of a chain */
export type DependentsResponse = Page<DependentView>;

/** GET job?id: one step with its whole payloads and errors */
export interface JobResponse {
  readonly now: number;
  readonly job: StepView;
  readonly explanation: ExplanationView | undefined;
}

/**
 * GET failed?typeName&cursor: failed steps grouped by type and error. Groups are made of the newest failures, a window of
 * them, so that it costs the same whatever has failed before; `nextCursor` looks at the window after this one.
 */
export interface FailedResponse {
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
export type ScheduleResponse = Page<ScheduledView> & { readonly total: number };

export interface ScheduledView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly dueAt: number;
  readonly attempt: number;
  /** Why it is tried again. */
  readonly lastError: ErrorView | undefined;
}
