import type { CreateProcessors, Processors } from "../types/processors.ts";
import { createErasedProcessors, type ErasedProcessorsOptions } from "./erased-processors.ts";
import type { GivenProcessor } from "./processor.ts";
import { invalid } from "../checks/check-options.ts";

/** The content of each `Processors` value. */
const contents = new WeakMap<object, readonly GivenProcessor[]>();

/* The typed door for handlers; see `client/create-client.ts`. */
/**
 * Gives each job type of a slice its handler: a function, or an object with a function and options.
 *
 * @function
 * @param options `client`; `jobTypes`, the slice; `processors`, for each of its types a handler, or an object with `handler` and
 * `retry`, `timeoutMs`, `leaseMs`; `middleware`, which wraps every attempt; `retry`, `timeoutMs`, `leaseMs` for all of them.
 * @example
 * const mailProcessors = createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   processors: {
 *     "mail.send": { retry: { maxAttempts: 5 }, handler: async ({ job }) => ({ sent: job.input.to !== "" }) },
 *   },
 * });
 */
export const createProcessors: CreateProcessors = (options: object) => {
  const processors = Object.freeze({});
  contents.set(processors, createErasedProcessors(options as ErasedProcessorsOptions));
  return processors as Processors as never;
};

/** The checked processors of a value that `createProcessors` returned. */
export function processorsOf(processors: unknown): readonly GivenProcessor[] {
  const known = typeof processors === "object" && processors !== null ? contents.get(processors) : undefined;
  if (known === undefined)
    throw invalid("processors must be values that createProcessors returned, of the same copy of the package.");
  return known;
}
