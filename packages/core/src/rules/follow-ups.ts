import type { Compensation } from "../model/compensation.ts";
import type { FollowUp, FollowUpKind } from "../model/follow-up.ts";
import type { JobStart } from "../model/job-start.ts";
import type { Fence } from "../model/outcome.ts";
import type { StartedJob, WaitingJob } from "../ports/reply.ts";
import { followUpId } from "./follow-up-id.ts";
import { nothing, startedJob, waitingRef } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";
import { stoppedInput } from "./stopped-input.ts";

/*
 * What a chain starts when it stops, that is, when it fails or is cancelled.
 *
 * - One chain for each of its compensations, what was done last first. Each waits until the one before it has completed. Then the chain
 *   of `whenStopped`, which waits for the last of them. One that fails may be retried, and the others wait for that.
 * - None of them begins while an attempt of the stopped chain is running: the first one is scheduled for the end of its lease, and is
 *   ready as soon as the attempt hands in its outcome, which is refused.
 * - A chain that completes starts nothing. If it was started inline as a blocker, its compensations pass to the chain that it was
 *   started for: that chain undoes them with its own. If that chain has stopped already, they start at once; if it has completed,
 *   they are dropped.
 *
 * A chain that has none of this has nothing on record for its end, and nothing of this is read for it.
 */

/** Before a chain is stopped by anyone but its attempt: notes the attempt, which will find its job gone. */
export function noteAttempt<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, job, now }: { readonly chain: Chain; readonly job: Job; readonly now: number },
): void {
  if (rows.ends.of(chain) === undefined) return;
  const held = rows.ends.attemptOf(job, now);
  if (held !== undefined) rows.ends.hold(chain, held);
}

/** What starts because a chain has stopped. */
export function startFollowUps<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): readonly StartedJob[] {
  const ends = rows.ends.of(chain);
  if (ends === undefined) return nothing;
  rows.ends.dropDeadline(chain);
  const { whenStopped, held } = ends;
  const planned = rows.ends.compensationsOf(chain).toReversed().map(undoing);
  if (whenStopped !== undefined) planned.push(following(rows, chain, whenStopped));
  return startInTurn(rows, planned, { chain, dueAt: held === undefined ? now : Math.max(now, held.until), now });
}

/** What follows for the compensations of a chain that has completed. */
export function passOn<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): readonly StartedJob[] {
  if (rows.ends.of(chain) === undefined) return nothing;
  rows.ends.dropDeadline(chain);
  const compensations = rows.ends.compensationsOf(chain);
  if (compensations.length === 0) return nothing;
  const job = rows.ends.startedFor(chain);
  const to = job && rows.chainOf(job);
  const status = to && rows.chainStatusOf(to);
  if (job === undefined || to === undefined || status === "completed") {
    rows.ends.forget(chain);
    return nothing;
  }
  rows.ends.pass(chain, job);
  rows.ends.forget(chain);
  if (status === "active") return nothing;
  const planned = compensations.toReversed().map(undoing);
  const held = rows.ends.of(to)?.held;
  return startInTurn(rows, planned, { chain: to, dueAt: held === undefined ? now : Math.max(now, held.until), now });
}

/** An attempt has handed in an outcome that was refused: what waited for it is ready. */
export function readyAfter<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { jobId, workerId, fence }: Fence,
  now: number,
): readonly WaitingJob[] | undefined {
  const job = rows.job(jobId);
  const chain = job && rows.chainOf(job);
  const held = chain && rows.ends.of(chain)?.held?.attempt;
  if (chain === undefined || held?.jobId !== jobId || held.workerId !== workerId || held.fence !== fence)
    return undefined;
  rows.ends.hold(chain, undefined);
  const ready: WaitingJob[] = [];
  for (const { row } of rows.ends.followUpsOf(chain)) {
    if (row === undefined || row.isClaimed || rows.jobStatusOf(row.job, now) !== "scheduled") continue;
    rows.makeReady(row.job, now);
    ready.push(waitingRef(rows, row.job));
  }
  return ready.length === 0 ? undefined : ready;
}

interface Planned {
  readonly kind: FollowUpKind;
  readonly start: Omit<JobStart, "id">;
}

/** What the start of every follow-up has in common. */
const plain = {
  schedule: undefined,
  blockers: nothing,
  onBlockerFailure: "wait",
  deduplication: undefined,
} as const;

function undoing(compensation: Compensation): Planned {
  return { kind: "compensation", start: { ...plain, ...compensation } };
}

function following<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  { typeName, version, pool, priority, context }: FollowUp,
): Planned {
  const input = stoppedInput(rows, chain);
  return { kind: "when-stopped", start: { ...plain, typeName, version, pool, priority, context, input } };
}

interface Turn<Chain> {
  /** The chain that has stopped. */
  readonly chain: Chain;
  /** Of the first of them. */
  readonly dueAt: number;
  readonly now: number;
}

function startInTurn<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  planned: readonly Planned[],
  { chain, dueAt, now }: Turn<Chain>,
): readonly StartedJob[] {
  const started: StartedJob[] = [];
  let before: Chain | undefined;
  let count = 0;
  for (const [index, { kind, start: of }] of planned.entries()) {
    const blockers: readonly Chain[] = before === undefined ? nothing : [before];
    const status = before !== undefined ? "blocked" : dueAt > now ? "scheduled" : "ready";
    const due = before === undefined ? dueAt : now;
    const isBlocker = index < planned.length - 1;
    const place = { status, dueAt: due, blockers, open: blockers, isBlocker, own: nothing, ...unused } as const;
    let job: Job | undefined;
    let start: JobStart;
    do {
      start = { ...of, id: followUpId(rows.lastJob(chain).id, now, count) };
      count += 1;
      job = rows.insert(start, place, now);
    } while (job === undefined);
    before = rows.chainOf(job);
    rows.ends.link(chain, before, kind);
    started.push(startedJob(start, start.id, { status, dueAt: due, now }));
  }
  return started;
}

const unused = {
  after: undefined,
  wait: undefined,
  failure: undefined,
  key: undefined,
  deadlineAt: undefined,
} as const;
