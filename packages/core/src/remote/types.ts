import type { ChainwrightError } from "../model/error.ts";
import type { LostReason } from "../model/outcome.ts";
import type { Schedule } from "../model/schedule.ts";
import type { StartItem } from "../operations/prepare-start.ts";
import type { LeasedJob } from "../worker/sent-outcome.ts";

/**
 * Names one claim of a job, with what has to be known to settle it: JSON. A caller hands it out with the job and takes it back with the
 * outcome, and sees to it that it was not changed in between.
 */
export interface RemoteLease extends LeasedJob {
  /** Under which the job was claimed. */
  readonly workerId: string;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
}

/** A claimed job. */
export interface RemoteJob {
  readonly lease: RemoteLease;
  readonly leaseMs: number;
  readonly step: number;
  /** JSON text, in the newest version of the type. */
  readonly input: string;
  /** What a handler sees as its job, without the input. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** The next step of a chain, as a handler gives it to `continueWith`. */
export type RemoteNext = Pick<
  StartItem,
  | "typeName"
  | "input"
  | "schedule"
  | "priority"
  | "pool"
  | "blockers"
  | "onBlockerFailure"
  | "waitUntil"
  | "collect"
  | "topics"
  | "compensate"
>;

/** How an attempt has ended. */
export type RemoteOutcome = { readonly lease: RemoteLease } & (
  | { readonly kind: "completed"; readonly output: unknown }
  | { readonly kind: "continued"; readonly next: RemoteNext }
  | {
      readonly kind: "failed";
      readonly error: unknown;
      /** Whether no further attempt is made. */
      readonly fatal?: boolean | undefined;
    }
  /** Again later; the attempt does not count. */
  | { readonly kind: "rescheduled"; readonly schedule: Schedule }
  /** Again at once; the attempt does not count. */
  | { readonly kind: "returned" }
);

/** What became of an outcome. */
export type RemoteResult =
  /** `error`: the outcome was not valid, and the attempt is recorded as failed with this error. */
  | { readonly status: "settled"; readonly error?: ChainwrightError | undefined }
  | { readonly status: "lost"; readonly reason: LostReason }
  /** Nothing was written, and the job is still leased. */
  | { readonly status: "refused"; readonly error: ChainwrightError };

/** The jobs that are asked for. */
export interface RemoteClaim {
  readonly typeNames: readonly string[];
  /** The most jobs. */
  readonly limit: number;
  /** Shortened to the longest lease of each type. */
  readonly leaseMs: number;
  /** How long to wait for a job while there is none. */
  readonly waitMs: number;
  /** The pools that are served; null: jobs without a pool. Default: `[null]`. */
  readonly pools?: readonly (string | null)[] | undefined;
  /** Ends the wait: jobs that are claimed for it after that go back, and the attempt does not count. */
  readonly signal?: AbortSignal | undefined;
}

/** Outcomes, and what is claimed in the same round trip. */
export interface RemoteExchange {
  readonly outcomes: readonly RemoteOutcome[];
  /** Undefined: nothing is claimed. */
  readonly claim?: RemoteClaim | undefined;
}

/** The results of the outcomes, in their order, and the claimed jobs. */
export interface RemoteReply {
  readonly results: readonly RemoteResult[];
  readonly jobs: readonly RemoteJob[];
  /** Without jobs: milliseconds until the next job of these types is due, as far as is known. */
  readonly nextDueInMs: number | undefined;
}

/** A lease to extend from now on. */
export interface RemoteRenewal {
  readonly lease: RemoteLease;
  /** Shortened to the longest lease of its type. */
  readonly leaseMs: number;
}

/** A lease that was not extended: lost, or `busy` because another transaction has locked its row. */
export interface UnrenewedRemote {
  readonly lease: RemoteLease;
  readonly reason: LostReason | "busy";
}

/**
 * Claims and settles jobs on behalf of workers elsewhere.
 *
 * @example
 * async function runOne(remote: Remote, typeName: string, run: (input: unknown) => Promise<unknown>): Promise<void> {
 *   const claim = { typeNames: [typeName], limit: 1, leaseMs: 30_000, waitMs: 20_000 };
 *   const { jobs } = await remote.exchange({ outcomes: [], claim });
 *   for (const { lease, input } of jobs)
 *     await remote.exchange({ outcomes: [{ lease, kind: "completed", output: await run(JSON.parse(input)) }] });
 * }
 */
export interface Remote extends AsyncDisposable {
  /** Its id among the workers of the store. */
  readonly id: string;
  /** The names of the types whose jobs it claims; undefined: those of all types. */
  readonly typeNames: readonly string[] | undefined;
  /**
   * Begins the chores of a worker: heartbeats, upkeep, ticks. Before it, and after `stop`, nothing is claimed.
   *
   * @example
   * await remote.start();
   */
  start(): Promise<void>;
  /**
   * Hands in outcomes and claims jobs, in one round trip with other calls of the same time. A claim that finds nothing waits.
   *
   * @throws `unknown-job-type` for a type that is not elsewhere; `closed`; `store-unavailable` with the outcome of the outcomes unknown
   * @example
   * const { results } = await remote.exchange({ outcomes: [{ lease, kind: "completed", output: { url: "s3://out/1.png" } }] });
   */
  exchange(request: RemoteExchange): Promise<RemoteReply>;
  /**
   * Extends leases. Returns those that it did not extend.
   *
   * @example
   * const lost = await remote.renew([{ lease, leaseMs: 30_000 }]);
   */
  renew(renewals: readonly RemoteRenewal[]): Promise<readonly UnrenewedRemote[]>;
  /**
   * Gives jobs back that no one has begun. The attempts do not count. Resolves when the store has them, or could not be reached.
   *
   * @example
   * await remote.giveBack([lease]);
   */
  giveBack(leases: readonly RemoteLease[]): Promise<void>;
  /** How many claims wait for a job. */
  parked(): number;
  /**
   * Ends all waits without jobs, hands in what is under way, and reports that the worker is gone. Idempotent.
   *
   * @example
   * await remote.stop();
   * await client.close();
   */
  stop(): Promise<void>;
}
