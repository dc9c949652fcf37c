import type { ChainId, JobId } from "../model/ids.ts";

/**
 * What a check found.
 *
 * - `no-processor`: a job's type has no processor.
 * - `unreachable-next`: a job may continue with, or wait for, a type that has none.
 * - `input-unreadable`, `output-unreadable`: the code cannot read a stored input, or the stored output of a blocker.
 * - `newer-version`: a stored value, or a type of a manifest, has a version that the code does not know.
 * - `unserved-pool`, `unserved-version`: neither this code nor a live worker claims the jobs.
 * - `fewer-attempts`: jobs have used up more attempts than their processor allows.
 * - `limit-missing`: a limit is in use that the client does not have, so jobs that this code starts are not under it.
 * - `schedule-broken`: the code cannot use the input of a recurring schedule, or has no processor for its type.
 * - `schema-behind`: the store has not been migrated.
 * - `contract-pending`: the store still has what only older releases of the library use.
 * - `types-only`: types are declared without schemas, so their names are checked and their shapes are not.
 */
export type DeployFindingCode =
  | "schedule-broken"
  | "no-processor"
  | "unreachable-next"
  | "input-unreadable"
  | "output-unreadable"
  | "newer-version"
  | "unserved-pool"
  | "unserved-version"
  | "fewer-attempts"
  | "limit-missing"
  | "schema-behind"
  | "contract-pending"
  | "types-only";

/** `error`: the deployment would leave work undone. `warning`: it may. `info`: nothing needs to be done now. */
export type DeployFindingLevel = "error" | "warning" | "info";

/** One kind of problem of one job type. It never has a payload. */
export interface DeployFinding {
  readonly code: DeployFindingCode;
  readonly level: DeployFindingLevel;
  /** What is wrong and what to do, in a sentence. */
  readonly message: string;
  /** The job type that it is about; undefined: the store. */
  readonly typeName: string | undefined;
  /** How many of the jobs that were read it concerns; undefined where no single jobs were read. */
  readonly count: number | undefined;
  /** Three of these jobs at most. */
  readonly jobs: readonly { readonly id: JobId; readonly chainId: ChainId }[];
  /** What a schema says about an unreadable value, and the names, versions and pools that it is about. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The report of `checkDeploy` and `checkManifest`. */
export interface DeployReport {
  /** Errors first, then warnings. */
  readonly findings: readonly DeployFinding[];
  /** Whether there is no finding of level `error`. */
  readonly ok: boolean;
  /** How many jobs have not ended, and how many of them were read. 0 in a comparison of manifests. */
  readonly openJobs: number;
  readonly readJobs: number;
}

const levels: Readonly<Record<DeployFindingCode, DeployFindingLevel>> = {
  "no-processor": "error",
  "unreachable-next": "error",
  "input-unreadable": "error",
  "output-unreadable": "error",
  "newer-version": "error",
  "schedule-broken": "error",
  "schema-behind": "error",
  "unserved-pool": "warning",
  "unserved-version": "warning",
  "fewer-attempts": "warning",
  "limit-missing": "warning",
  "contract-pending": "info",
  "types-only": "info",
};

const order: readonly DeployFindingLevel[] = ["error", "warning", "info"];

export interface Found extends Omit<DeployFinding, "level" | "typeName" | "count" | "jobs" | "details"> {
  readonly typeName?: string | undefined;
  readonly count?: number | undefined;
  readonly jobs?: DeployFinding["jobs"];
  readonly details?: DeployFinding["details"];
}

export function reportOf(
  found: readonly Found[],
  { openJobs, readJobs }: Pick<DeployReport, "openJobs" | "readJobs"> = { openJobs: 0, readJobs: 0 },
): DeployReport {
  const findings = found
    .map(({ code, message, typeName, count, jobs = [], details = {} }): DeployFinding => {
      return { code, level: levels[code], message, typeName, count, jobs, details };
    })
    .toSorted((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  return { findings, ok: findings.every(({ level }) => level !== "error"), openJobs, readJobs };
}
