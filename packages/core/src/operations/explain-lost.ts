import type { JobRecord, WorkerRecord } from "../model/record.ts";
import { lostAttempts } from "../checks/lost-attempts.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { readLostWorkers } from "./list-lost-workers.ts";

interface Known {
  readonly alive: readonly WorkerRecord[];
  readonly tx: unknown;
}

/** Says which of the last attempts never reported a result. Undefined: all did, or the job has ended. */
export async function lostSentence(
  store: StoreAccess,
  job: JobRecord,
  { alive, tx }: Known,
): Promise<string | undefined> {
  const attempts = job.endedAt === undefined ? lostAttempts(job) : [];
  if (attempts.length === 0) return undefined;
  const lost = await readLostWorkers(store, tx);
  const names = new Map([...lost, ...alive].map(({ id, name }) => [id, name]));
  const sentences: string[] = [];
  const silent: number[] = [];
  for (const { attempt, lease } of attempts) {
    const holder = lost.find(({ held }) => held?.some((each) => each.jobId === job.id && each.attempt === attempt));
    if (lease !== undefined) {
      const name = names.get(lease.leasedBy);
      const who = name === undefined ? lease.leasedBy : `${name} (${lease.leasedBy})`;
      const at = new Date(lease.leasedUntil).toISOString();
      sentences.push(`${never(attempt)}: the lease of worker ${who} ran out at ${at}, so it probably died, ${orLate}.`);
    } else if (holder !== undefined) {
      const at = new Date(holder.lastSeenAt).toISOString();
      sentences.push(`${never(attempt)}: worker ${holder.name} (${holder.id}) was lost with it, last seen at ${at}.`);
    } else silent.push(attempt);
  }
  return [...(silent.length === 0 ? [] : [silentSentence(silent)]), ...sentences].join(" ");
}

const orLate = "or could not renew it in time";

function never(attempt: number): string {
  return `Attempt ${attempt} never reported a result`;
}

function silentSentence(attempts: readonly number[]): string {
  if (attempts.length === 1)
    return `${never(attempts[0] ?? 0)}: its worker probably died, or could not renew the lease in time.`;
  const numbers = `${attempts.slice(0, -1).join(", ")} and ${attempts.at(-1)}`;
  return `Attempts ${numbers} never reported a result: their workers probably died, or could not renew the leases in time.`;
}
