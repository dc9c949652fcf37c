import type { JobWait, ReceivedSignal } from "chainwright/adapter";

/** What a job waits for, as `job.waits` has it and as functions get it. The end of the wait is apart. */
export type StoredWait = Pick<JobWait, "collect" | "topics">;

/** As `job.received` has it. */
export type StoredReceived = readonly {
  readonly signal: string;
  readonly payload: string;
  readonly at: number;
  readonly signalId: string | null;
  readonly context: string | null;
}[];

export function storedWait(wait: JobWait | undefined): StoredWait | undefined {
  if (wait === undefined) return undefined;
  const { collect, topics } = wait;
  return { collect, topics: topics?.length === 0 ? undefined : topics };
}

export function receivedOf(stored: StoredReceived): readonly ReceivedSignal[] {
  return stored.map(({ signal, payload, at, signalId, context }) => {
    return { signal, payload, at, signalId: signalId ?? undefined, context: context ?? undefined };
  });
}
