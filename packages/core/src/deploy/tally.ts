import type { JobRecord } from "../model/record.ts";
import type { DeployFinding, DeployFindingCode } from "./report.ts";

/** The problems of single jobs. */
export type JobProblem = Exclude<
  DeployFindingCode,
  | "no-processor"
  | "unreachable-next"
  | "schedule-broken"
  | "limit-missing"
  | "schema-behind"
  | "contract-pending"
  | "types-only"
>;

/** The jobs that share a problem. */
export interface Affected {
  readonly code: JobProblem;
  readonly typeName: string;
  readonly details: Readonly<Record<string, unknown>>;
  count: number;
  jobs: DeployFinding["jobs"];
}

/** Counts jobs by their problem, and keeps three of them as examples. */
export interface Tally {
  add(job: JobRecord, code: JobProblem, details: Readonly<Record<string, unknown>>): void;
  all(): readonly Affected[];
}

/** How many jobs a finding names. */
export const mostExamples = 3;
/** Issues of schemas may contain ids, so that no two jobs have the same: the rest is counted with the last of these. */
const mostKinds = 20;

export function createTally(): Tally {
  const byKey = new Map<string, Affected>();
  return {
    add(job, code, details) {
      const { typeName } = job;
      const kinds = [...byKey.values()].filter((each) => each.code === code && each.typeName === typeName);
      const key = JSON.stringify([code, typeName, details]);
      const known = byKey.get(key) ?? (kinds.length >= mostKinds ? kinds.at(-1) : undefined);
      const affected = known ?? { code, typeName, details, count: 0, jobs: [] };
      if (known === undefined) byKey.set(key, affected);
      affected.count += 1;
      if (affected.jobs.length < mostExamples) affected.jobs = [...affected.jobs, { id: job.id, chainId: job.chainId }];
    },
    all: () => [...byKey.values()],
  };
}
