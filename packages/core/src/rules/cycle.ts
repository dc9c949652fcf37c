import type { Handle, Rows } from "./rows.ts";

/**
 * Whether a job that has just been written waits, however far, for its own chain. Returns the ids of the chains on the way
 * round, its own first and last; undefined: there is no such way. Chains that failed or were cancelled count, because they
 * would wait again when retried. With one writer at a time, no other continuation can close the ring meanwhile.
 */
export function findCycle<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: Job,
  chain: Chain,
): readonly string[] | undefined {
  const reachedFrom = new Map<string, string>();
  const queue = [{ id: chain.id, job }];
  // Grows while it is walked.
  for (const { id, job: waiting } of queue) {
    for (const blocker of rows.blockersOf(waiting).open) {
      if (blocker.id === chain.id) return wayRound(chain.id, id, reachedFrom);
      if (reachedFrom.has(blocker.id)) continue;
      reachedFrom.set(blocker.id, id);
      queue.push({ id: blocker.id, job: rows.lastJob(blocker) });
    }
  }
  return undefined;
}

function wayRound(chainId: string, lastId: string, reachedFrom: ReadonlyMap<string, string>): string[] {
  const way = [chainId];
  for (let id: string | undefined = lastId; id !== undefined && id !== chainId; id = reachedFrom.get(id))
    way.unshift(id);
  way.unshift(chainId);
  return way;
}
