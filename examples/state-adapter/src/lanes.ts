import { claimName } from "chainwright/adapter";
import type { JobLimit } from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import { mayBegin } from "./gates.ts";
import { statusAt } from "./jobs.ts";

/** The name of the lane of a job: jobs of one claim name under the same keys wait in one lane. */
export function laneOf(
  job: Pick<Job, "typeName" | "version" | "pool">,
  limits: readonly JobLimit[] | undefined,
): string | undefined {
  return limits && JSON.stringify([claimName(job), ...limits.map(({ limit, key }) => [limit, key])]);
}

/** Whether a job waits in its lane. One whose lease ran out has its places and is claimed like a job without limits. */
export function isInLane(job: Job, now: number): boolean {
  return job.limits !== undefined && statusAt(job, now) === "ready" && job.status !== "running";
}

/** Whether a claim looks at the lanes: it was asked to, or a job waits in one that no claim has seen. */
export function looksAtLanes(data: Data, isAsked: boolean, now: number): boolean {
  const unseen = [...data.jobs.values()].filter((job) => !job.isSeen && isInLane(job, now));
  for (const job of unseen) job.isSeen = true;
  return isAsked || unseen.length > 0;
}

/**
 * The job under limits that comes next among these: of the lanes whose first job may begin, the one with the highest priority, then
 * the one whose turn it is. Jobs that have kept their places come first of all.
 */
export function nextInLanes(data: Data, jobs: readonly Job[], now: number): Job | undefined {
  const lanes = Map.groupBy(
    jobs.filter((job) => isInLane(job, now)),
    ({ lane }) => lane,
  );
  return [...lanes.values()]
    .flatMap((waiting) => waiting.toSorted(byOrder)[0] ?? [])
    .filter((job) => mayBegin(data, job, now))
    .toSorted((a, b) => rankOf(b) - rankOf(a) || turnOf(data, a).turn - turnOf(data, b).turn)[0];
}

/** Counts a job that begins for the turn of its lane. The turn ends when the lane has been given as many jobs as its weight. */
export function takeTurn(data: Data, job: Job): void {
  const { limits } = data;
  const { turn, took } = turnOf(data, job);
  const weight = Math.max(1, ...(job.limits ?? []).map((each) => each.weight ?? 1));
  const isOver = took + 1 >= weight;
  if (isOver) limits.turn += 1;
  const next = { lane: job.lane ?? "", turn: isOver ? limits.turn : turn, took: isOver ? 0 : took + 1 };
  limits.turns = [...limits.turns.filter(({ lane }) => lane !== job.lane), next];
}

/** Above all priorities where the job has kept its places. */
export function rankOf({ hasPlaces, priority }: Job): number {
  return hasPlaces ? Infinity : priority;
}

function byOrder(a: Job, b: Job): number {
  if (a.hasPlaces !== b.hasPlaces) return a.hasPlaces ? -1 : 1;
  return b.priority - a.priority || a.position - b.position;
}

function turnOf({ limits }: Data, { lane }: Job): { readonly turn: number; readonly took: number } {
  return limits.turns.find((each) => each.lane === lane) ?? { turn: 0, took: 0 };
}
