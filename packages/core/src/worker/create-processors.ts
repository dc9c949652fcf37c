import { engineOf } from "../client/internal.ts";
import type { Engine } from "../engine/engine.ts";
import type { Middleware } from "../types/middleware.ts";
import type { CreateProcessors, CreateProcessorsWith, Processors } from "../types/processors.ts";
import {
  checkShared,
  createErasedProcessors,
  createSharingProcessors,
  type ErasedProcessorsOptions,
  type ErasedSharedOptions,
  type ErasedSliceOptions,
} from "./erased-processors.ts";
import { eachJob } from "./for-each-job.ts";
import type { GivenProcessor } from "./processor.ts";
import { invalid, isList, show } from "../checks/check-options.ts";

/** The content of a `Processors` value. */
interface ProcessorGroup {
  /** Of the client that it was made for. */
  readonly engine: Engine;
  readonly processors: readonly GivenProcessor[];
}

/** The content of each `Processors` value. */
const contents = new WeakMap<object, ProcessorGroup>();

/* The typed door for handlers; see `client/create-client.ts`. */
/**
 * Gives each job type of a slice its handler: a function, or an object with a function and options.
 *
 * @function
 * @param options `client`; `jobTypes`, the slice, the same object that `createClient` was given; `processors`, for each of its types
 * a handler, or an object with `handler` and `retry`, `timeoutMs`, `leaseMs`; `middleware`, which wraps every attempt; `retry`,
 * `timeoutMs`, `leaseMs` for all of them.
 * @throws `invalid-input` for unknown or invalid options, and for a slice that the client does not have
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
  const given = options as ErasedProcessorsOptions;
  const processors = createErasedProcessors(given);
  return attachTo(given.client, given.jobTypes, processors);
};

/**
 * Shares a client, middleware and options among the processors of several slices: it returns a `createProcessors` that has them.
 * Middleware of a slice runs inside the shared one, and an option of a slice wins over the shared one.
 *
 * @function
 * @param shared `client`; `middleware`, which wraps every attempt; `retry`, `timeoutMs`, `leaseMs`
 * @throws `invalid-input` for unknown or invalid options
 * @example
 * const traced: Middleware<{ traceId: string }> = async ({ job }, next) => await next({ traceId: job.chainId });
 * const createAppProcessors = createProcessorsWith({ client, middleware: [traced], retry: { maxAttempts: 5 } });
 *
 * const mailProcessors = createAppProcessors({
 *   jobTypes: mailJobTypes,
 *   processors: { "mail.send": async ({ job, traceId }) => ({ sent: traceId !== job.input.to }) },
 * });
 */
export const createProcessorsWith: CreateProcessorsWith = (options: object) => {
  const shared = options as ErasedSharedOptions;
  checkShared(shared);
  engineOf(shared.client);
  return ((slice: ErasedSliceOptions) => {
    const processors = createSharingProcessors(shared, slice);
    return attachTo(shared.client, slice.jobTypes, processors);
  }) as never;
};

/**
 * Makes middleware that was written for one job wrap each job of a batch: it sees the job, and the result or the error of that job. A job
 * for which it does not call `next` is not given to the handler. Attempts at one job are wrapped as ever. What it passes to `next` is
 * not in the context of handlers.
 *
 * @function
 * @example
 * const logged: Middleware = async ({ job }, next) => {
 *   logger.info(`${job.typeName} ${job.id}`);
 *   return await next();
 * };
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   middleware: [forEachJob(logged)],
 *   processors: { "mail.send": async () => ({ sent: true }) },
 * });
 */
export const forEachJob: (middleware: Middleware) => Middleware = (middleware) => eachJob(middleware as never) as never;

/** A `Processors` value for the workers of a client. */
function attachTo(client: unknown, jobTypes: unknown, processors: readonly GivenProcessor[]): never {
  const engine = engineOf(client);
  checkSlice(engine, jobTypes);
  for (const { typeName } of processors)
    if (engine.types.elsewhere.includes(typeName))
      throw invalid(`"${typeName}" has its workers elsewhere; leave out its handler here, or elsewhere: true there.`);
  const group = Object.freeze({});
  contents.set(group, { engine, processors });
  return group as Processors as never;
}

/** Types do not exist at run time: only that it is the same object proves that handlers have the types of the client. */
function checkSlice({ slices }: Engine, jobTypes: unknown): void {
  const known: readonly unknown[] = slices;
  if (known.includes(jobTypes)) return;
  throw invalid(
    `jobTypes must be one slice of the client, the same object that createClient was given; got ${shownSlice(jobTypes)}. Pass each slice to createClient, and import it from one module: a second defineJobTypes, or a second copy of the module, is another slice.`,
  );
}

function shownSlice(value: unknown): string {
  if (isList(value)) return "an array";
  return typeof value === "object" && value !== null ? "another slice" : show(value);
}

/** The checked processors of a value that `createProcessors` returned, for a worker of this client. */
export function processorsOf(processors: unknown, engine: Engine): readonly GivenProcessor[] {
  const known = typeof processors === "object" && processors !== null ? contents.get(processors) : undefined;
  if (known === undefined)
    throw invalid("processors must be values that createProcessors returned, of the same copy of the package.");
  if (!isInterchangeable(known.engine, engine))
    throw invalid(
      "processors must be made for the client of the worker, or for one with the same state adapter and the same slices; " +
        "got processors of another client. Pass createProcessors and createWorker the same client.",
    );
  return known.processors;
}

/** Whether handlers that were typed with one client may run for the other: with the same transactions and the same job types. */
function isInterchangeable(one: Engine, other: Engine): boolean {
  if (one === other) return true;
  const slices = new Set(other.slices);
  return (
    one.givenState === other.givenState &&
    one.slices.length === slices.size &&
    one.slices.every((slice) => slices.has(slice))
  );
}
