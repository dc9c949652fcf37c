import type { AttemptError } from "../model/attempt-error.ts";
import type { BlockerRecord, ChainRecord, JobRecord } from "../model/record.ts";
import type { StartReply } from "../ports/start.ts";
import { readAttemptErrors } from "../checks/attempt-errors.ts";
import { parse } from "../checks/json.ts";
import { givenKey } from "./stored-key.ts";

/** A record as users see it: payloads are parsed, moments are dates. */
export type View = Readonly<Record<string, unknown>>;

export function startedChainView(chain: StartReply, typeName: string): View {
  return {
    id: chain.id,
    typeName,
    status: chain.status,
    input: parse(chain.input),
    createdAt: new Date(chain.createdAt),
    deduplicated: chain.deduplicated,
  };
}

export function chainView(chain: ChainRecord): View {
  return {
    id: chain.id,
    typeName: chain.typeName,
    status: chain.status,
    input: parse(chain.input),
    output: chain.output === undefined ? undefined : parse(chain.output),
    error: readAttemptErrors(chain.errors).at(-1),
    reason: chain.reason,
    ...labelsView(chain),
    createdAt: new Date(chain.createdAt),
    endedAt: dateOf(chain.endedAt),
  };
}

/** What users find a chain by. */
export function labelsView(chain: Pick<ChainRecord, "key" | "tags"> | undefined) {
  return {
    tags: chain?.tags ?? {},
    deduplicationKey: chain?.key === undefined ? undefined : givenKey(chain.key),
  };
}

export function jobView(job: JobRecord): View {
  const errors: readonly AttemptError[] = readAttemptErrors(job.errors);
  return {
    id: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    step: job.step,
    status: job.status,
    priority: job.priority,
    input: parse(job.input),
    output: job.output === undefined ? undefined : parse(job.output),
    // The claim that fails a job whose attempts are used up is no further attempt.
    attempt: job.status === "failed" ? Math.min(job.attempt, errors.at(-1)?.attempt ?? job.attempt) : job.attempt,
    errors,
    lastError: errors.at(-1),
    createdAt: new Date(job.createdAt),
    scheduledAt: dateOf(job.scheduledAt),
    startedAt: dateOf(job.startedAt),
    leasedBy: job.leasedBy,
    leasedUntil: dateOf(job.leasedUntil),
    endedAt: dateOf(job.endedAt),
    continuedAs: job.nextJobId,
    blockersLeft: job.blockersLeft,
    onBlockerFailure: job.onBlockerFailure,
  };
}

export function blockerView({ position, chain }: BlockerRecord): View {
  return { position, ...chainView(chain) };
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
