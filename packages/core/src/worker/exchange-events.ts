import type { ChainwrightEvent } from "../model/event.ts";
import type { ClaimedJob } from "../model/record.ts";
import { endedBy } from "../model/signal.ts";
import type { ExchangeReply } from "../ports/exchange.ts";
import { consequenceEvents } from "../engine/job-events.ts";
import type { Engine } from "../engine/engine.ts";
import type { Found } from "../hints/look-order.ts";
import type { RetryPolicy } from "./attempt-options.ts";
import { otherClaimName } from "./claim-types.ts";

/** An exchange that has been replied to. */
interface Exchanged {
  readonly workerId: string;
  readonly reply: ExchangeReply;
  /** How many outcomes it handed in. */
  readonly settled: number;
  readonly durationMs: number;
}

/** Records the events of an exchange, those of its outcomes first. @param retryOf the policy of a job type */
export function recordExchange(
  engine: Pick<Engine, "events" | "observed" | "counts" | "releaseInBackground">,
  events: ChainwrightEvent[],
  { workerId, reply, settled, durationMs }: Exchanged,
  retryOf: (typeName: string) => Pick<RetryPolicy, "maxAttempts"> | undefined,
): void {
  const { released, claimed } = reply;
  for (const event of consequenceEvents(released)) events.push(event);
  for (const { typeName, waitedMs } of claimed) engine.counts.claimed(typeName, waitedMs);
  // Without observers a claim matters only where the same exchange has made jobs ready: no hint has to be sent for those.
  if (engine.observed || events.some(makesReady)) {
    for (const job of claimed) {
      events.push({ type: "job-claimed", ...claimOf(job, retryOf(job.typeName)), workerId });
      if (job.received !== undefined && isFirstTimeOut(job)) events.push(timedOutEvent(job, workerId));
    }
  }
  if (engine.observed) events.push({ type: "exchanged", workerId, settled, claimed: claimed.length, durationMs });
  engine.events.record(events, undefined);
  if (released.releasing) engine.releaseInBackground();
}

/** A claim that only fails a job whose attempts are used up is no further attempt. */
function claimOf(
  { id: jobId, chainId, typeName, attempt, waitedMs, limits }: ClaimedJob,
  retry: Pick<RetryPolicy, "maxAttempts"> | undefined,
) {
  const isSpent = attempt > (retry?.maxAttempts ?? Infinity);
  const claimed = { jobId, chainId, typeName, attempt: isSpent ? attempt - 1 : attempt, waitedMs };
  return limits === undefined ? claimed : { ...claimed, limits: limits.map(({ limit }) => limit) };
}

/** Whether this is the first attempt after a wait that no signal has ended. */
function isFirstTimeOut({ attempt, fence, received = [], collect }: ClaimedJob): boolean {
  return attempt === 1 && fence === 1 && endedBy(received, collect) === undefined;
}

function timedOutEvent({ id: jobId, chainId, typeName, attempt }: ClaimedJob, workerId: string): ChainwrightEvent {
  return { type: "wait-timed-out", jobId, chainId, typeName, workerId, attempt };
}

function makesReady({ type }: ChainwrightEvent): boolean {
  return type === "job-started" || type === "job-unblocked" || type === "job-retried";
}

/** The types of claimed jobs that hints announced: not those that the same exchange made ready. */
export function foundBy({ settled, released, claimed }: ExchangeReply, how: Pick<Found, "dry" | "wasDue">): Found {
  const unannounced = new Set(released.unblocked.map(({ jobId }) => jobId));
  for (const reply of settled) {
    if (reply.status !== "settled") continue;
    for (const { jobId } of reply.started) unannounced.add(jobId);
    for (const { jobId } of reply.unblocked) unannounced.add(jobId);
  }
  const typeNames = claimed.filter(({ id }) => !unannounced.has(id)).map((job) => otherClaimName(job) ?? job.typeName);
  return { typeNames, ...how };
}
