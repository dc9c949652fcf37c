declare const of: unique symbol;

/* Optional, so that every string fits. */
interface Id<in out Of> {
  readonly [of]?: Of | undefined;
}

/**
 * The id of a chain. Any other string may be used as one, such as a parameter of a URL, but the compiler refuses the id of a job.
 *
 * @example
 * const cancelled = new Map<ChainId, string>();
 * cancelled.set(chain.id, "the customer called");
 */
export type ChainId = string & Id<"chain">;

/**
 * The id of a job. Any other string may be used as one, such as a parameter of a URL, but the compiler refuses the id of a chain.
 *
 * @example
 * const explain = async (id: JobId) => (await client.explainJob({ id }))?.summary;
 */
export type JobId = string & Id<"job">;
