import type { Hint } from "../ports/notify.ts";

/**
 * The jobs that some process watches, as far as this one has heard: only about these it sends hints. A watcher announces itself again
 * and again, so that one that died is forgotten.
 */
export interface WatchedJobs {
  /** A process watches the job for so long. */
  hear(jobId: string, forMs: number): void;
  /** The hints about those of the jobs that are watched. */
  hintsAbout(jobIds: Iterable<string>): readonly Hint[];
}

const none: readonly Hint[] = [];
/** Above so many the outdated ones are dropped when another one is heard of. */
const manyJobs = 1_000;

export function createWatchedJobs(now: () => number): WatchedJobs {
  const until = new Map<string, number>();
  return {
    hear(jobId, forMs) {
      const at = now();
      if (until.size >= manyJobs) for (const [id, end] of until) if (end <= at) until.delete(id);
      until.set(jobId, at + forMs);
    },
    hintsAbout(jobIds) {
      if (until.size === 0) return none;
      const hints: Hint[] = [];
      for (const jobId of new Set(jobIds)) {
        const end = until.get(jobId);
        if (end === undefined) continue;
        if (end > now()) hints.push({ kind: "noted", jobId });
        else until.delete(jobId);
      }
      return hints;
    },
  };
}
