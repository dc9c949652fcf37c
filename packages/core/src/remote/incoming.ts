import { claimName } from "../model/claim-name.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { ClaimType } from "../ports/exchange.ts";
import type { Engine } from "../engine/engine.ts";
import { mistakeReporter } from "../worker/attempt.ts";
import { failureOutcome, isUnreadable, releaseOutcome, spentOutcome } from "../worker/failure-outcome.ts";
import { readJob, type Seen } from "../worker/read-job.ts";
import { shownJob } from "../worker/shown-job.ts";
import { unreadableEvent } from "../worker/unreadable-event.ts";
import { fenceOf, outgoing, type Outgoing } from "./outgoing.ts";
import type { Policies } from "./remote-options.ts";
import type { RemoteJob, RemoteLease } from "./types.ts";

interface Claimed {
  readonly claimed: readonly ClaimedJob[];
  readonly types: readonly ClaimType[];
  readonly workerId: string;
  readonly claimedAt: number;
}

/** Jobs for remote workers, and the outcomes of those that cannot be given to one. */
interface Received {
  readonly jobs: readonly RemoteJob[];
  readonly outcomes: readonly Outgoing[];
}

/** Reads claimed jobs as a worker does before it calls a handler. */
export async function receive(
  engine: Engine,
  policies: Policies,
  { claimed, types, workerId, claimedAt }: Claimed,
): Promise<Received> {
  const leases = new Map(types.map((type) => [claimName(type), type.leaseMs]));
  const jobs: RemoteJob[] = [];
  const outcomes: Outgoing[] = [];
  for (const job of claimed) {
    const lease = leaseOf(job, workerId, claimedAt);
    try {
      if (job.attempt > policies.of(job.typeName).retry.maxAttempts) outcomes.push(spent(engine, job, lease));
      else {
        const read = readJob(engine, job);
        const seen = read instanceof Promise ? await read : read;
        const leaseMs = leases.get(claimName(job)) ?? policies.of(job.typeName).leaseMs;
        jobs.push({ lease, leaseMs, step: job.step, input: inputOf(engine, job, seen), shown: shownOf(job, seen) });
      }
    } catch (error) {
      outcomes.push(unreadable(engine, policies, { job, lease }, error));
    }
  }
  return { jobs, outcomes };
}

export function leaseOf(job: ClaimedJob, workerId: string, claimedAt: number): RemoteLease {
  const { id, chainId, typeName, version, pool, priority, attempt, fence, limits } = job;
  return { id, chainId, typeName, version, pool, priority, attempt, fence, limits, workerId, claimedAt };
}

/** What the schema made of the input stays here: it need not be JSON. */
function inputOf({ types: { versions } }: Engine, { typeName, version, input }: ClaimedJob, seen: Seen): string {
  if (version === versions.newestInput(typeName)) return input;
  const stored = { payload: "input", typeName, version } as const;
  return JSON.stringify(versions.read(stored, input)) ?? JSON.stringify(seen.input);
}

function shownOf(job: ClaimedJob, seen: Seen): Readonly<Record<string, unknown>> {
  const { input: _, ...shown } = shownJob(job, seen);
  return shown;
}

const silent = { onResult: () => undefined, onError: () => undefined };

/** All attempts were used before this claim: what is reported names the last one. */
function spent({ clock }: Engine, job: ClaimedJob, lease: RemoteLease): Outgoing {
  const last = { ...job, attempt: job.attempt - 1 };
  const outcome = spentOutcome(clock, { job: last, fence: fenceOf(lease) }, undefined);
  return outgoing({ ...lease, attempt: last.attempt }, { outcome, error: undefined }, silent);
}

interface Unread {
  readonly job: ClaimedJob;
  readonly lease: RemoteLease;
}

function unreadable(engine: Engine, policies: Policies, { job, lease }: Unread, error: unknown): Outgoing {
  const { typeName } = job;
  const fence = fenceOf(lease);
  if (isUnreadable(error)) engine.events.record([unreadableEvent({ job, fence }, error)], undefined);
  const failed = {
    job,
    fence,
    processor: { typeName, retry: policies.of(typeName).retry },
    stopReason: undefined,
    reportMistake: mistakeReporter(engine, job, lease.workerId),
  };
  const outcome = failureOutcome(engine.clock, failed, error) ?? releaseOutcome(fence);
  return outgoing(lease, { outcome, error }, silent);
}
