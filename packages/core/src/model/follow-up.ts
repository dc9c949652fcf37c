/**
 * The chain that runs after a chain has failed or was cancelled, and after its compensations. The store makes its input, see
 * {@link StoppedInput}.
 */
export interface FollowUp {
  readonly typeName: string;
  /** The version of its type that the input has. Undefined: 1. */
  readonly version?: number | undefined;
  /** Undefined: it has none. */
  readonly pool?: string | undefined;
  readonly priority: number;
  /** Opaque text of an observer, as in a start. */
  readonly context?: string | undefined;
}

/** What a chain was started for: to undo a step of a chain that has stopped, or to follow that chain. */
export type FollowUpKind = "compensation" | "when-stopped";

/**
 * The input of the chain that follows a stopped one, as the store writes it: JSON text of this shape. `chain.input` is the stored text
 * of the chain's input, unchanged, and `chain.version` its version: readers lift it, see `liftStopped`.
 */
export interface StoppedInput {
  readonly chain: {
    readonly id: string;
    readonly typeName: string;
    readonly version: number;
    readonly input: unknown;
    /** Milliseconds since 1970. */
    readonly startedAt: number;
  };
  readonly status: "failed" | "cancelled";
  /** The job where it stopped. */
  readonly step: { readonly jobId: string; readonly typeName: string };
  /** The last of that job's errors. Only with `failed`. */
  readonly error?: unknown;
  /** Only with `cancelled`, and only if there was a reason. */
  readonly reason?: string;
}
