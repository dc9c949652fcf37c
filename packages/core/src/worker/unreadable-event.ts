import { describeError } from "../checks/describe-error.ts";
import type { UnreadableInput } from "../checks/unreadable-input.ts";
import type { ChainEvent } from "../model/event.ts";
import type { EndedAttempt } from "./sent-outcome.ts";

/** The event of a job whose handler was not called, because its input or the output of a blocker cannot be read. */
export function unreadableEvent({ job, fence }: EndedAttempt, error: UnreadableInput): ChainEvent {
  const { payload, version, typeName: ofTypeName } = error.stored;
  return {
    type: "input-unreadable",
    jobId: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    workerId: fence.workerId,
    attempt: job.attempt,
    payload,
    ofTypeName,
    version,
    reason: error.why,
    error: describeError(error),
  };
}
