import { arrayOf } from "../array-parameter.ts";
import { hasVersionedOutput, outputsSuffix, versionedOutput } from "../claim-names.ts";
import { splitClaimName, type JobRef, type Outcome } from "chainwright/adapter";
import type { ResultRow } from "../result-rows.ts";
import type { FunctionCall } from "../store.ts";

/** Outcomes of one worker that end jobs and chains, as arrays. */
interface Ends {
  workerId: string | undefined;
  readonly n: number[];
  readonly id: string[];
  readonly fence: number[];
  readonly output: (string | null)[];
  readonly errors: (string | null)[];
  /** Whether one of the outputs has a version other than 1. */
  areVersioned: boolean;
}

export function noEnds(): Ends {
  return { workerId: undefined, n: [], id: [], fence: [], output: [], errors: [], areVersioned: false };
}

/** Adds an outcome if it ends a job and its chain and is of the same worker as those before it. Returns whether it was added. */
export function addEnd(ends: Ends, outcome: Outcome, n: number): boolean {
  const { target, kind } = outcome;
  if (!("jobId" in target) || (kind !== "completed" && kind !== "failed")) return false;
  ends.workerId ??= target.workerId;
  if (ends.workerId !== target.workerId) return false;
  ends.n.push(n);
  ends.id.push(target.jobId);
  ends.fence.push(target.fence);
  ends.output.push(kind === "completed" ? versionedOutput(outcome) : null);
  if (kind === "completed" && hasVersionedOutput(outcome)) ends.areVersioned = true;
  ends.errors.push(kind === "failed" ? outcome.errors : null);
  return true;
}

export function endsCall({ workerId = "", n, id, fence, output, errors, areVersioned }: Ends): FunctionCall {
  // Mostly no job has failed, and an array of nulls would be read for nothing.
  const texts = errors.some((each) => each !== null) ? { output, errors } : { output };
  return {
    name: `settle_many${outputsSuffix(areVersioned)}_v1`,
    parameters: [workerId, String(n.length), arrayOf(n), arrayOf(id), arrayOf(fence), JSON.stringify(texts)],
  };
}

/** The jobs that a row of `settle_many_v1` reports, with the numbers of their outcomes. */
export function endedOf(
  row: ResultRow<"ended">,
  outcomes: readonly Outcome[],
): readonly (JobRef & { readonly n: number })[] {
  const { typeName } = splitClaimName(row.typeName);
  const numbers = JSON.parse(row.numbers) as readonly number[];
  const chainIds = row.chainIds === undefined ? undefined : (JSON.parse(row.chainIds) as readonly string[]);
  return numbers.map((n, at) => {
    const jobId = jobIdOf(outcomes[n]);
    return { n, jobId, chainId: chainIds?.[at] ?? jobId, typeName };
  });
}

function jobIdOf(outcome: Outcome | undefined): string {
  return outcome !== undefined && "jobId" in outcome.target ? outcome.target.jobId : "";
}
