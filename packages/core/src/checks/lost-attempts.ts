import type { JobRecord, LapsedLease } from "../model/record.ts";
import { keptAttempts, readAttemptErrors } from "./attempt-errors.ts";

/** An attempt that never reported a result. */
export interface LostAttemptRecord {
  readonly attempt: number;
  /** Undefined: the job was claimed again since. */
  readonly lease: LapsedLease | undefined;
}

/**
 * The last attempts of a job that never reported a result, oldest first: each claim counts one, and each attempt that failed has an error.
 * After a retry of the chain only the attempts since then count; one of these may be missing if an attempt with the same number
 * had failed before.
 */
export function lostAttempts(
  job: Pick<JobRecord, "status" | "attempt" | "errors" | "endedAt" | "lapsed">,
): readonly LostAttemptRecord[] {
  const isUnderWay = job.status === "running" || job.endedAt !== undefined;
  const last = isUnderWay ? job.attempt - 1 : job.attempt;
  if (last < 1) return [];
  const { reported, known } = reportedAttempts(job.errors, job.attempt);
  const lost: LostAttemptRecord[] = [];
  for (let attempt = Math.max(known, last - keptAttempts + 1); attempt <= last; attempt += 1)
    if (!reported.has(attempt)) lost.push({ attempt, lease: attempt === job.attempt ? job.lapsed : undefined });
  return lost;
}

/** The numbers of the attempts since the last retry of the chain that have an error, and from which number on all of them are known. */
function reportedAttempts(errors: string | undefined, attempt: number) {
  const all = readAttemptErrors(errors);
  const numbers = all.filter(({ uncounted }) => uncounted !== true).map((error) => error.attempt);
  const reported = new Set<number>();
  let before = attempt + 1;
  while ((numbers.at(-1) ?? before) < before) {
    before = numbers.pop() ?? before;
    reported.add(before);
  }
  const areOlderDropped = numbers.length === 0 && all.length >= keptAttempts;
  return { reported, known: areOlderDropped ? before : 1 };
}
