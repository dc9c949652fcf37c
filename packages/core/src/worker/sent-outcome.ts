import type { LostReason, Fence, Outcome } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";

/** What has to be known of a claimed job until its outcome is settled. */
export type LeasedJob = Pick<
  ClaimedJob,
  "id" | "chainId" | "typeName" | "version" | "pool" | "priority" | "attempt" | "fence" | "limits"
>;

/** An attempt whose outcome is on its way to the store. */
export interface EndedAttempt {
  readonly job: LeasedJob;
  readonly fence: Fence;
}

/** An outcome on its way to the store, and what is known of it. */
export interface SentOutcome {
  readonly outcome: Outcome;
  readonly attempt: EndedAttempt;
  readonly fate: Fate;
}

/**
 * What is known of an attempt's end. A call that was given up may still be carried out, and its reply may come after that of
 * the next call that carries the outcome.
 */
export interface Fate {
  /** Calls under way that carry an outcome of the attempt. */
  calls: number;
  isSettled: boolean;
  /** For a job under limits: that its places are free was noted. */
  isEnded: boolean;
  /** That its job was lost was reported. */
  isReported: boolean;
  /** The loss that a call reported while another call was under way, which may have settled the job. */
  lost: LostReason | undefined;
}

/** The fate of an attempt of which nothing is known yet. */
export function openFate(): Fate {
  return { calls: 0, isSettled: false, isEnded: false, isReported: false, lost: undefined };
}

/** Makes a call that carries outcomes, and counts it while it is under way, also after its caller gave up on it. */
export async function carry<T>(items: readonly Pick<SentOutcome, "fate">[], call: () => Promise<T>): Promise<T> {
  for (const { fate } of items) fate.calls += 1;
  try {
    return await call();
  } finally {
    for (const { fate } of items) fate.calls -= 1;
  }
}
