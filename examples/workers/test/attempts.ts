import type { Fleet, Report } from "./fleet.ts";

interface EndedJob {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
}

/** How the attempts of all jobs have ended, in the store and in what the workers have reported. */
export interface Attempts {
  /** What must not be. */
  readonly wrong: readonly string[];
  /** Attempts that a worker has handed in as failed. */
  readonly failed: number;
  /** Attempts that were lost with a process, or whose worker was told that the lease is lost. */
  readonly lost: number;
  /** Other attempts without an end: a response with the job did not arrive, or arrived at the end of the worker. */
  readonly unexplained: number;
}

/** Compares the attempts in the store with what the workers have reported. */
export function attemptsOf(
  jobs: readonly EndedJob[],
  { reports, killed }: Pick<Fleet, "reports" | "killed">,
): Attempts {
  const wrong: string[] = [];
  const count = { failed: 0, lost: 0, unexplained: 0 };
  const byJob = Map.groupBy(reports, ({ id }) => id);
  for (const job of jobs) {
    const own = byJob.get(job.id) ?? [];
    byJob.delete(job.id);
    for (const mistake of mistakesOf(job, own))
      wrong.push(`${job.id} (${job.status}, ${job.attempt}) ${mistake}: ${JSON.stringify(own)}`);
    for (let attempt = 1; attempt < job.attempt; attempt += 1) {
      const seen = own.filter((report) => report.attempt === attempt);
      if (seen.some(isFailure)) count.failed += 1;
      else if (seen.some(({ event, worker }) => event === "lost" || killed.has(worker))) count.lost += 1;
      else count.unexplained += 1;
    }
  }
  for (const id of byJob.keys()) wrong.push(`${id} is in no chain`);
  return { wrong, ...count };
}

function isFailure({ event, kind }: Report): boolean {
  return event === "settled" && kind === "failed";
}

function mistakesOf({ attempt: last }: EndedJob, reports: readonly Report[]): readonly string[] {
  const mistakes: string[] = [];
  const ends = reports.filter((report) => report.event === "settled" && !isFailure(report));
  if (ends.length > 1) mistakes.push(`was settled ${ends.length} times`);
  if (ends.some(({ attempt }) => attempt !== last)) mistakes.push("was settled in another attempt");
  for (const [attempt, own] of Map.groupBy(reports, (report) => report.attempt)) {
    const claims = own.filter(({ event }) => event === "claimed").length;
    const returns = own.filter(({ event }) => event === "returning").length;
    const failures = own.filter(isFailure).length;
    if (attempt > last) mistakes.push(`was claimed for attempt ${attempt}`);
    // Only a job that was given back is handed out again with the same number. The reply to the one who gave it back may be lost.
    if (claims > 1 + returns) mistakes.push(`had attempt ${attempt} ${claims} times`);
    if (failures > (attempt < last ? 1 : 0)) mistakes.push(`failed ${failures} times in attempt ${attempt}`);
  }
  return mistakes;
}
