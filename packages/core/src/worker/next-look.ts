import type { ClaimedJob } from "../model/record.ts";
import type { ExchangeReply } from "../ports/exchange.ts";
import type { Engine } from "../engine/engine.ts";
import type { WakeUp } from "../timing/wake-up.ts";

/**
 * When a worker looks for jobs next: at once after a hint, when the next job that it knows of is due, and otherwise after the
 * poll interval. Moments are by the worker's clock.
 */
export interface NextLook {
  readonly engine: Pick<Engine, "clock" | "hub" | "events">;
  readonly workerId: string;
  readonly wakeUp: WakeUp;
  readonly pollIntervalMs: number;
  /** The last claim was not filled, and no hint has arrived since. */
  isDry: boolean;
  /** Counts hints: one that arrives while an exchange is under way must not be lost. */
  hints: number;
  /** When the next job that the store knows of is due. */
  dueAt: number;
  /** How long after that moment this worker looks, because others look as well. */
  dueDelayMs: number;
  /** The next look is one that no hint asked for, although there is a notify adapter and its hints arrive. */
  isBackstop: boolean;
  /** The next look is for a job that is due. */
  isForDueJob: boolean;
  /** The next wait. It doubles up to the poll interval: a new worker does not know yet whether all jobs are announced. */
  nextPollMs: number;
  /** What the worker has learnt from jobs that no hint announced. */
  unannounced: Unannounced;
  /** When the store last replied to a claim. */
  lastLookedAt: number | undefined;
}

/** Jobs that a look found and no hint had announced. The process that starts them has probably no notify adapter. */
interface Unannounced {
  /** Until then the worker polls often. */
  readonly until: number;
  /** How long the next such job makes it poll often: it doubles, so that rare jobs of such a process wait long only a few times. */
  readonly forMs: number;
  /** When the last one was found. */
  readonly foundAt: number;
}

/** The longest time between two looks while hints may be missing: as long as without a notify adapter. */
const pollMsWithoutHints = 1_000;
/** The shortest delay of the look for a job that another worker took. */
const takenDelayMs = 1_000;
/** How far the moment when a job is due may be apart in two processes. */
const toleranceMs = 50;
/** A job that was ready for longer when a poll found it was not announced by a hint. */
const announcedWithinMs = 250;
/** How long the worker polls often after the first such job, and at most. */
const [unannouncedForMs, longestUnannouncedMs] = [600_000, 86_400_000];
/** Such jobs within this time count as one: they may come from one process that died after its commit. */
const oneDiscoveryMs = 60_000;

export function createNextLook(
  options: Pick<NextLook, "engine" | "workerId" | "wakeUp" | "pollIntervalMs" | "nextPollMs">,
): NextLook {
  return {
    ...options,
    isDry: false,
    hints: 0,
    dueAt: Infinity,
    dueDelayMs: 0,
    isBackstop: false,
    isForDueJob: false,
    unannounced: { until: -Infinity, forMs: unannouncedForMs, foundAt: -Infinity },
    lastLookedAt: undefined,
  };
}

/** There may be work: look, even if the last look found nothing. */
export function lookNow(next: NextLook): void {
  next.hints += 1;
  next.isDry = false;
  next.isBackstop = false;
  next.wakeUp.wake();
}

/** Another worker has taken what is due now. One of the others looks about a second later, in case that worker dies. */
export function noteDueTaken(next: NextLook, others: number): void {
  const { clock } = next.engine;
  if (clock.now() < next.dueAt - toleranceMs || next.dueDelayMs >= takenDelayMs) return;
  next.dueDelayMs = takenDelayMs * (1 + clock.random() * others);
  next.wakeUp.wake();
}

/** Waits for an outcome, a hint, a free slot, the next due job or the backstop poll. */
export async function untilNextLook(next: NextLook): Promise<void> {
  const { clock, hub } = next.engine;
  const untilDueMs = next.dueAt + next.dueDelayMs - clock.now();
  const timedOut = await next.wakeUp.wait(Math.max(0, Math.min(pollMs(next), untilDueMs)));
  if (!timedOut) return;
  next.nextPollMs *= 2;
  next.isForDueJob = clock.now() >= next.dueAt;
  // Jobs of a type whose pause has just ended were announced long ago.
  next.isBackstop = next.isDry && !next.isForDueJob && hub.health !== undefined && hub.isWell;
  next.isDry = false;
  // The moment has passed: while all slots are taken it must not end the next wait at once.
  next.dueAt = Infinity;
}

/** Notes what a claim found. @param how whether it took as many jobs as it asked for, and the number of hints when it began */
export function noteClaim(
  next: NextLook,
  { claimed, nextDueInMs }: ExchangeReply,
  how: { readonly isFilled: boolean; readonly hintsBefore: number; readonly spreadMs: number },
): void {
  const now = next.engine.clock.now();
  next.isDry = !how.isFilled && how.hintsBefore === next.hints;
  next.dueAt = nextDueInMs === undefined ? Infinity : now + nextDueInMs;
  next.dueDelayMs = how.spreadMs;
  next.lastLookedAt = now;
  // A process that cannot publish, that has no notify adapter, or that died after its commit announces none of its jobs.
  const late = next.isBackstop ? claimed.find(({ waitedMs }) => waitedMs > announcedWithinMs) : undefined;
  if (late !== undefined) noteUnannounced(next, late, now);
  next.isBackstop = false;
  next.isForDueJob = false;
}

function noteUnannounced(next: NextLook, { typeName, waitedMs }: ClaimedJob, now: number): void {
  const { until, forMs, foundAt } = next.unannounced;
  const isOne = now - foundAt < oneDiscoveryMs;
  const pollsOftenForMs = isOne ? forMs / 2 : forMs;
  next.unannounced = {
    until: Math.max(until, now + pollsOftenForMs),
    forMs: isOne ? forMs : Math.min(2 * forMs, longestUnannouncedMs),
    foundAt: now,
  };
  // Once, until it is forgotten.
  if (now < until) return;
  const { workerId } = next;
  next.engine.events.record([{ type: "job-unannounced", workerId, typeName, waitedMs, pollsOftenForMs }], undefined);
}

function pollMs({ pollIntervalMs, nextPollMs, unannounced, engine: { hub, clock } }: NextLook): number {
  const isAnnounced = hub.isWell && clock.now() >= unannounced.until;
  return Math.min(pollIntervalMs, isAnnounced ? nextPollMs : pollMsWithoutHints);
}
