import type { OpenStore } from "../store/open-store.ts";
import type { Death, Step } from "./job-types.ts";
import type { FaultClient } from "./open-client.ts";

/** The resources of the handlers of one process. */
export interface Surroundings {
  readonly client: FaultClient;
  readonly store: OpenStore;
  /** Called around every attempt. */
  readonly began: (job: JobFacts) => void;
  readonly ended: (job: JobFacts) => void;
  /** Waits for the duration of a handler. */
  readonly pause: (ms: number) => Promise<void>;
  /** Kills the process. */
  readonly die: (how: Death) => never;
  /** The base of the delays between attempts. */
  readonly backoffMs: number;
  readonly leaseMs: number;
}

export interface JobFacts {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly attempt: number;
}

/** Processes die often here: only jobs that are meant to may run out of attempts. */
const manyAttempts = 1_000;

interface Begun {
  readonly job: JobFacts & { readonly input: unknown };
}

/** Middleware that reports every attempt and measures its handler. */
export function journaled({ began, ended, pause }: Surroundings) {
  return async <Result>({ job }: Begun, next: () => Promise<Result>): Promise<Result> => {
    began(job);
    try {
      await pause((job.input as Step).delayMs);
      return await next();
    } finally {
      ended(job);
    }
  };
}

export const retryOf = ({ backoffMs }: Surroundings, maxAttempts = manyAttempts) => ({
  maxAttempts,
  backoff: { initialMs: backoffMs, multiplier: 1, maxMs: backoffMs },
});
