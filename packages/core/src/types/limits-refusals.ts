import type { InputOf } from "./job-type-lookups.ts";
import type { BreakerOptions, RateOptions } from "./limits.ts";

/** The limits by name. `Given` has the names of the limits, and of the job types that have keys; a wrong name is replaced by a sentence. */
export type CheckedDefinitions<Types, Given> = { readonly [Name in keyof Given]: LimitDefinition<Types, Given[Name]> };

/** What `defineLimits` takes for a limit. Without `concurrency` and `rate` its keys take turns, and nothing else is limited. */
interface LimitDefinition<Types, TypeNames> {
  /**
   * For each job type that is under the limit: the key of a job, made from its input as it is stored. Jobs with the same key share the
   * limit, also across job types. Undefined: this job is not limited.
   */
  readonly keys: { readonly [TypeName in keyof TypeNames]: KeyOf<Types, TypeName> };
  /** The most jobs of a key that run at the same time, in all processes. */
  readonly concurrency?: number | undefined;
  /** How many attempts of a key may begin in a time. */
  readonly rate?: RateOptions | undefined;
  /** Closes a key when its jobs fail. Needs `concurrency` or `rate`. */
  readonly breaker?: BreakerOptions | undefined;
  /** The share of turns of a key beside the others, from 1 to 100. Default: 1. */
  readonly weight?: ((key: string) => number) | undefined;
  /** `hold`: while a job waits for a retry it keeps its place, so that no later job with its key passes it. Default: they pass. */
  readonly whileRetrying?: "hold" | undefined;
}

type KeyOf<Types, TypeName> = TypeName extends keyof Types
  ? (input: InputOf<Types[TypeName]>) => string | undefined
  : `'${TypeName & string}' is not a job type of these slices`;
