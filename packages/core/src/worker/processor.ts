import { ChainwrightError } from "../model/error.ts";
import { checkKeys, invalid } from "../checks/check-options.ts";
import { attemptPolicy, checkAttemptOptions, type AttemptOptions, type AttemptPolicy } from "./attempt-options.ts";
import { checkBatch, type BatchPolicy, type GivenBatch } from "./batch-options.ts";

/** A handler as the worker calls it, without types. */
export type ErasedHandler = (context: object) => unknown;
export type ErasedMiddleware = (attempt: object, next: (extra?: object) => Promise<unknown>) => unknown;

/** The handler of one job type, with all options of its attempts. */
export interface Processor extends AttemptPolicy {
  readonly typeName: string;
  readonly handler: ErasedHandler;
  readonly middleware: readonly ErasedMiddleware[];
  /** How its jobs are handled together; undefined: one by one. */
  readonly batch: BatchPolicy | undefined;
}

/** The same with the options that are given for it, the nearest first, before those of the worker are known. */
export interface GivenProcessor extends Omit<Processor, keyof AttemptPolicy> {
  readonly given: readonly AttemptOptions[];
}

const processorKeys = {
  handler: true,
  retry: true,
  timeoutMs: true,
  leaseMs: true,
  batch: true,
} satisfies Record<keyof DefinitionOptions, true>;

interface DefinitionOptions extends AttemptOptions {
  readonly handler?: ErasedHandler | undefined;
  readonly batch?: GivenBatch | undefined;
}

/** A processor as `createProcessors` takes it: a handler, or a handler with options. */
export type ErasedDefinition = ErasedHandler | DefinitionOptions;

/** Checks one definition. @param shared the middleware and the options of all processors of its group, the nearest first */
export function createProcessor(
  typeName: string,
  definition: ErasedDefinition,
  shared: { readonly middleware: readonly ErasedMiddleware[]; readonly options: readonly AttemptOptions[] },
): GivenProcessor {
  const what = `the processor of "${typeName}"`;
  const options: DefinitionOptions = typeof definition === "function" ? { handler: definition } : definition;
  const handler =
    typeof options === "object" && options !== null ? (options.batch?.handler ?? options.handler) : undefined;
  if (typeof handler !== "function") {
    throw invalid(`${what} must be a function, or an object with a handler, or with a batch that has one.`);
  }
  checkKeys(options, processorKeys, what);
  checkAttemptOptions(options, what);
  const batch = options.batch === undefined ? undefined : checkBatch(options.batch, what);
  const given = [options, ...shared.options];
  return { typeName, handler, middleware: shared.middleware, batch, given };
}

/** Joins the processors of several slices, and fills in the options of the worker. A type must not have two handlers. */
export function mergeProcessors(
  groups: readonly (readonly GivenProcessor[])[],
  options: AttemptOptions = {},
): ReadonlyMap<string, Processor> {
  const merged = new Map<string, Processor>();
  for (const { typeName, handler, middleware, batch, given } of groups.flat()) {
    if (merged.has(typeName)) {
      throw new ChainwrightError(
        "duplicate-job-type",
        `a worker must have one processor for each job type; got two for "${typeName}". Pass the processors of each slice once.`,
      );
    }
    merged.set(typeName, { typeName, handler, middleware, batch, ...attemptPolicy([...given, options]) });
  }
  return merged;
}
