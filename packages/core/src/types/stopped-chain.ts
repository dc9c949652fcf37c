import type { AttemptError } from "../model/attempt-error.ts";
import type { ChainId, JobId } from "../model/ids.ts";

/**
 * The input of the chain that runs after another one has failed or was cancelled, named by its `whenStopped`. `Input` is that of the
 * chain that stopped.
 *
 * @example
 * const subjectOf = ({ chain, status }: StoppedChain<{ trip: string }>) =>
 *   status === "failed" ? `We could not book ${chain.input.trip}` : `${chain.input.trip} is cancelled`;
 */
export interface StoppedChain<out Input> {
  readonly chain: {
    readonly id: ChainId;
    readonly typeName: string;
    /** Of the newest version of its type. */
    readonly input: Input;
    /** Milliseconds since 1970. */
    readonly startedAt: number;
  };
  readonly status: "failed" | "cancelled";
  /** The job where it stopped. */
  readonly step: { readonly jobId: JobId; readonly typeName: string };
  /** The error of its last attempt. Only with `failed`. */
  readonly error?: AttemptError | undefined;
  /** As given to `cancelChain`; `deadline` if its deadline has passed. Only with `cancelled`. */
  readonly reason?: string | undefined;
}
