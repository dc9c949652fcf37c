import { type ChainwrightError, FatalError, isChainwrightError } from "../model/error.ts";
import type { Fence, Outcome } from "../model/outcome.ts";
import type { Engine } from "../engine/engine.ts";
import { continueWith } from "../operations/continuation.ts";
import { outcomeOf, stepOf } from "../operations/outcome-of.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import { mistakeReporter } from "../worker/attempt.ts";
import { tellBreakers } from "../worker/breakers.ts";
import { failureOutcome, releaseOutcome } from "../worker/failure-outcome.ts";
import { recordEnd } from "../worker/record-end.ts";
import { openFate, type SentOutcome } from "../worker/sent-outcome.ts";
import type { Policies } from "./remote-options.ts";
import type { RemoteLease, RemoteOutcome, RemoteResult } from "./types.ts";

/** An outcome on its way to the store, and the call that waits for its result. */
export interface Outgoing extends SentOutcome {
  /** Why an outcome that was not valid is handed in as a failed attempt. */
  readonly mistake?: ChainwrightError | undefined;
  readonly onResult: (result: RemoteResult) => void;
  readonly onError: (error: unknown) => void;
}

/** An outcome that can be handed in, and the error to report if it was not valid. */
interface Prepared {
  readonly outcome: Outcome;
  readonly error: unknown;
  readonly mistake?: ChainwrightError | undefined;
}

export function fenceOf({ id: jobId, workerId, fence }: RemoteLease): Fence {
  return { jobId, workerId, fence };
}

/** Converts outcomes for the store: what a worker does when a handler has ended. */
export async function prepareOutcomes(
  engine: Engine,
  policies: Policies,
  outcomes: readonly RemoteOutcome[],
): Promise<readonly Prepared[]> {
  const valued = await Promise.all(outcomes.map((outcome) => valueOf(engine, outcome)));
  const failing = valued.flatMap((value, place) => ("failure" in value ? (outcomes[place]?.lease.id ?? []) : []));
  const errors = await errorsOf(engine, failing);
  const prepared = valued.map((value, place): Prepared => {
    const lease = outcomes[place]?.lease;
    if (!("failure" in value) || lease === undefined)
      return { outcome: "outcome" in value ? value.outcome : never(), error: undefined };
    return failed(engine, policies, { lease, errors: errors.get(lease.id), ...value });
  });
  await Promise.all(
    prepared.map(async ({ outcome, error }, place) => {
      const lease = outcomes[place]?.lease;
      if (lease !== undefined) await tellEnd(engine, lease, { outcome, error });
    }),
  );
  return prepared;
}

/** An outcome that gives a job back. */
export function givingBack(lease: RemoteLease): Prepared {
  return { outcome: releaseOutcome(fenceOf(lease)), error: undefined };
}

/** The outcome with those who wait for its result. */
export function outgoing(
  lease: RemoteLease,
  { outcome, mistake }: Prepared,
  calls: Pick<Outgoing, "onResult" | "onError">,
): Outgoing {
  return { outcome, mistake, attempt: { job: lease, fence: fenceOf(lease) }, fate: openFate(), ...calls };
}

type Valued =
  | { readonly outcome: Outcome }
  | { readonly failure: unknown; readonly mistake?: ChainwrightError | undefined };

async function valueOf(engine: Engine, outcome: RemoteOutcome): Promise<Valued> {
  const { lease } = outcome;
  const target = fenceOf(lease);
  switch (outcome.kind) {
    case "returned":
      return { outcome: releaseOutcome(target) };
    case "rescheduled":
      return { outcome: { kind: "deferred", target, schedule: outcome.schedule, counted: false, errors: undefined } };
    case "failed":
      return { failure: outcome.fatal === true ? fatalOf(outcome.error) : outcome.error };
    case "completed":
    case "continued": {
      const value = outcome.kind === "completed" ? outcome.output : continueWith(outcome.next);
      try {
        return { outcome: await outcomeOf(engine, { ...stepOf(lease), target }, value) };
      } catch (error) {
        const mistake = mistakeOf(lease, error);
        return { failure: mistake, mistake };
      }
    }
  }
}

function fatalOf(error: unknown): FatalError {
  const message = error instanceof Error ? error.message : String(error);
  return new FatalError(message, { cause: error });
}

/** A result that does not fit its type is a mistake of the worker, and counts as a failed attempt. */
function mistakeOf({ typeName }: RemoteLease, error: unknown): ChainwrightError {
  if (isChainwrightError(error, "handler-result") || isChainwrightError(error, "payload-too-large")) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return handlerResultError(typeName, `returned a result that is not valid: ${reason.replace(/\.$/, "")}`, {
    cause: error,
  });
}

/** The stored errors of the jobs, to which another one is added. */
async function errorsOf(
  { state, callOptions }: Engine,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  if (ids.length === 0) return new Map();
  const jobs = await state.getJobs([...new Set(ids)], callOptions());
  return new Map(jobs.flatMap((job) => (job === undefined ? [] : [[job.id, job.errors] as const])));
}

interface Failing {
  readonly lease: RemoteLease;
  readonly errors: string | undefined;
  readonly failure: unknown;
  readonly mistake?: ChainwrightError | undefined;
}

function failed(engine: Engine, policies: Policies, { lease, errors, failure, mistake }: Failing): Prepared {
  const { typeName, attempt, workerId } = lease;
  const outcome = failureOutcome(
    engine.clock,
    {
      job: { attempt, errors },
      fence: fenceOf(lease),
      processor: { typeName, retry: policies.of(typeName).retry },
      stopReason: undefined,
      reportMistake: mistakeReporter(engine, lease, workerId),
    },
    failure,
  );
  return { outcome: outcome ?? releaseOutcome(fenceOf(lease)), error: failure, mistake };
}

/** What a worker does when an attempt has ended, before its outcome is handed in. */
async function tellEnd(engine: Engine, lease: RemoteLease, { outcome, error }: Prepared): Promise<void> {
  const attempt = { job: lease, fence: fenceOf(lease), startedAt: lease.claimedAt };
  const result = { outcome, error };
  const reportMistake = mistakeReporter(engine, lease, lease.workerId);
  await tellBreakers(engine, { ...attempt, reportMistake }, result);
  recordEnd(engine, attempt, result);
}

function never(): never {
  throw new TypeError("an outcome has neither a value nor a failure.");
}
