import type { JobRecord, LapsedLease, WorkerRecord } from "../model/record.ts";
import { lostAttempts } from "../checks/lost-attempts.ts";

/** Says which of the last attempts never reported a result. Undefined: all did, or the job has ended. */
export function lostSentence(job: JobRecord, workers: readonly WorkerRecord[]): string | undefined {
  if (job.endedAt !== undefined) return undefined;
  const lost = lostAttempts(job);
  const [first] = lost;
  if (first === undefined) return undefined;
  const [last] = lost.slice(-1);
  if (last?.lease === undefined) return silentSentence(lost.map(({ attempt }) => attempt));
  const before = lost.slice(0, -1).map(({ attempt }) => attempt);
  const sentences = [
    ...(before.length === 0 ? [] : [silentSentence(before)]),
    lapsedSentence(last.attempt, last.lease, workers),
  ];
  return sentences.join(" ");
}

function silentSentence(attempts: readonly number[]): string {
  if (attempts.length === 1)
    return `Attempt ${attempts[0]} never reported a result: its worker probably died, or could not renew the lease in time.`;
  const numbers = `${attempts.slice(0, -1).join(", ")} and ${attempts.at(-1)}`;
  return `Attempts ${numbers} never reported a result: their workers probably died, or could not renew the leases in time.`;
}

function lapsedSentence(
  attempt: number,
  { leasedBy, leasedUntil }: LapsedLease,
  workers: readonly WorkerRecord[],
): string {
  const at = new Date(leasedUntil).toISOString();
  const alive = workers.find(({ id }) => id === leasedBy);
  const who = alive === undefined ? `worker ${leasedBy}` : `worker ${alive.name} (${leasedBy})`;
  return `Attempt ${attempt} never reported a result: the lease of ${who} ran out at ${at}, so it probably died, or could not renew in time.`;
}
