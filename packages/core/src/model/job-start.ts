import type { DeduplicationScope, OnBlockerFailure } from "./status.ts";
import type { Schedule } from "./schedule.ts";
import type { Tags } from "./tags.ts";

/** A job to be written: the first of a chain, or a continuation. Payloads are JSON text from here on. */
export interface JobStart {
  /** UUID; of a first job also the id of its chain. */
  readonly id: string;
  readonly typeName: string;
  /** The version of its type that the input has. Undefined: 1. An integer from 1 to 32767. */
  readonly version?: number | undefined;
  /** Only workers that serve the pool claim it. Undefined: it has none. 1 to 100 characters without control characters. */
  readonly pool?: string | undefined;
  /** JSON text. */
  readonly input: string;
  /** Higher is claimed first. A 16-bit integer. */
  readonly priority: number;
  /** Undefined: due at once. */
  readonly schedule: Schedule | undefined;
  /** In the order in which the handler sees them. The same chain may occur more than once. */
  readonly blockers: readonly BlockerStart[];
  readonly onBlockerFailure: OnBlockerFailure;
  /** Only on the first job of a chain. */
  readonly deduplication: Deduplication | undefined;
  /** Only on the first job of a chain, and never empty. */
  readonly tags?: Tags | undefined;
  /** Opaque text of an observer (a trace context), returned with the claim. */
  readonly context: string | undefined;
}

/** A chain that must complete first: one that exists, or one started in the same statement. */
export type BlockerStart =
  | { readonly chainId: string; readonly typeName: string | undefined }
  | { readonly start: JobStart };

/** One chain for all starts with a key. */
export interface Deduplication {
  /** Unique in the store: the engine has included the type name. */
  readonly key: string;
  readonly scope: DeduplicationScope;
  /** Counted from the start; undefined: no limit. */
  readonly windowMs: number | undefined;
}
