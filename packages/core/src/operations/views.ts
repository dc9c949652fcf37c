import type { AttemptError } from "../model/attempt-error.ts";
import type { BlockerRecord, ChainRecord, FollowUpRecord, JobRecord } from "../model/record.ts";
import type { StartReply } from "../ports/start.ts";
import { readAttemptErrors } from "../checks/attempt-errors.ts";
import { lostAttempts, type LostAttemptRecord } from "../checks/lost-attempts.ts";
import type { LostAttempt } from "../types/job.ts";
import type { StoredValue } from "../checks/unreadable-input.ts";
import { givenKey } from "./stored-key.ts";
import { dateOf } from "./date-of.ts";

/** A record as users see it: payloads are of the newest version, moments are dates. */
export type View = Readonly<Record<string, unknown>>;

/** Makes a value of a stored text, see `StoredVersions.read`. `omittedBytes`: the size of one that a list has left out. */
export type ReadStored = (stored: StoredValue, text: string, omittedBytes?: number) => unknown;

export function startedChainView(chain: StartReply, typeName: string, read: ReadStored): View {
  return {
    id: chain.id,
    typeName,
    status: chain.status,
    input: read({ payload: "input", typeName, version: chain.version }, chain.input),
    createdAt: new Date(chain.createdAt),
    deduplicated: chain.deduplicated,
  };
}

export function chainView(chain: ChainRecord, read: ReadStored): View {
  const { typeName, version, output, outputVersion, omitted, outputTypeName = typeName } = chain;
  return {
    ...(omitted !== undefined && { omitted }),
    id: chain.id,
    typeName,
    status: chain.status,
    input: read({ payload: "input", typeName, version }, chain.input, omitted?.input),
    output:
      output === undefined
        ? undefined
        : read({ payload: "output", typeName: outputTypeName, version: outputVersion }, output, omitted?.output),
    version,
    outputVersion,
    error: readAttemptErrors(chain.errors).at(-1),
    reason: chain.reason,
    ...labelsView(chain),
    compensations: chain.followUps === undefined ? none : chain.followUps.map(followUpView),
    deadlineAt: dateOf(chain.deadlineAt),
    createdAt: new Date(chain.createdAt),
    endedAt: dateOf(chain.endedAt),
  };
}

const none: readonly View[] = [];

function followUpView({ chainId: id, typeName, kind, status }: FollowUpRecord): View {
  return { id, typeName, kind, status };
}

/** What users find a chain by. */
export function labelsView(chain: Pick<ChainRecord, "key" | "tags"> | undefined) {
  return {
    tags: chain?.tags ?? {},
    deduplicationKey: chain?.key === undefined ? undefined : givenKey(chain.key),
  };
}

export function jobView(job: JobRecord, read: ReadStored): View {
  const errors: readonly AttemptError[] = readAttemptErrors(job.errors);
  const { typeName, version, output, outputVersion, omitted } = job;
  return {
    ...(omitted !== undefined && { omitted }),
    id: job.id,
    chainId: job.chainId,
    typeName,
    step: job.step,
    status: job.status,
    priority: job.priority,
    pool: job.pool,
    input: read({ payload: "input", typeName, version }, job.input, omitted?.input),
    output:
      output === undefined
        ? undefined
        : read({ payload: "output", typeName, version: outputVersion }, output, omitted?.output),
    version,
    outputVersion,
    // The claim that fails a job whose attempts are used up is no further attempt.
    attempt: job.status === "failed" ? Math.min(job.attempt, errors.at(-1)?.attempt ?? job.attempt) : job.attempt,
    errors,
    lastError: errors.at(-1),
    lostAttempts: lostAttempts(job).map(lostAttemptView),
    createdAt: new Date(job.createdAt),
    scheduledAt: dateOf(job.scheduledAt),
    startedAt: dateOf(job.startedAt),
    leasedBy: job.leasedBy,
    leasedUntil: dateOf(job.leasedUntil),
    endedAt: dateOf(job.endedAt),
    continuedAs: job.nextJobId,
    waitsUntil: dateOf(job.waits?.until),
    blockersLeft: job.blockersLeft,
    onBlockerFailure: job.onBlockerFailure,
  };
}

function lostAttemptView({ attempt, lease }: LostAttemptRecord): LostAttempt {
  return {
    attempt,
    workerId: lease?.leasedBy,
    startedAt: dateOf(lease?.startedAt),
    leasedUntil: dateOf(lease?.leasedUntil),
  };
}

export function blockerView({ position, chain }: BlockerRecord, read: ReadStored): View {
  return { position, ...chainView(chain, read) };
}
