import type { ClaimedJob } from "../model/record.ts";
import { lastReported } from "../checks/attempt-errors.ts";

/**
 * Whether a job may be the one that kills its processes: its last two attempts never reported a result, or one did not and the next
 * attempt is the last. Such a job runs alone, so that its neighbours do not use up their attempts with it. After a single death all
 * jobs of the process would be suspects, and would run one after the other.
 */
export function isSuspect({ attempt, errors }: ClaimedJob, maxAttempts: number): boolean {
  if (attempt === 1 || attempt > maxAttempts) return false;
  // After a retry of the chain the errors of earlier attempts are still there.
  const silent = attempt - 1 - lastReported(errors, attempt);
  return silent >= 2 || (silent === 1 && attempt === maxAttempts);
}
