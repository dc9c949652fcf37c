import { checkKeys, checkName, invalid, isList, show } from "../checks/check-options.ts";
import { checkAttemptOptions, type AttemptOptions } from "./attempt-options.ts";
import { createProcessor, type ErasedDefinition, type ErasedMiddleware, type GivenProcessor } from "./processor.ts";

/** What the processors of several slices share, types erased. */
export interface ErasedSharedOptions extends AttemptOptions {
  readonly client: object;
  readonly middleware?: readonly ErasedMiddleware[] | undefined;
}

/** The options of the processors of one slice, types erased. */
export interface ErasedSliceOptions extends AttemptOptions {
  readonly jobTypes: object;
  readonly processors: Readonly<Record<string, ErasedDefinition>>;
  readonly middleware?: readonly ErasedMiddleware[] | undefined;
}

/** The options of `createProcessors`, types erased. */
export type ErasedProcessorsOptions = ErasedSharedOptions & ErasedSliceOptions;

const sharedKeys = {
  client: true,
  middleware: true,
  retry: true,
  timeoutMs: true,
  leaseMs: true,
} satisfies Record<keyof ErasedSharedOptions, true>;
const sliceKeys = {
  jobTypes: true,
  processors: true,
  middleware: true,
  retry: true,
  timeoutMs: true,
  leaseMs: true,
} satisfies Record<keyof ErasedSliceOptions, true>;
const processorsKeys = { ...sharedKeys, ...sliceKeys } satisfies Record<keyof ErasedProcessorsOptions, true>;

/** Checks the handlers of one slice. */
export function createErasedProcessors(options: ErasedProcessorsOptions): readonly GivenProcessor[] {
  checkKeys(options, processorsKeys, "createProcessors");
  return readProcessors(options, "createProcessors");
}

/** Checks what the processors of several slices share. */
export function checkShared(shared: ErasedSharedOptions): void {
  checkKeys(shared, sharedKeys, "createProcessorsWith");
  checkAttemptOptions(shared, "createProcessorsWith");
  checkMiddleware(shared.middleware);
}

/** Checks the handlers of one slice, inside what it shares with others. */
export function createSharingProcessors(
  shared: ErasedSharedOptions,
  options: ErasedSliceOptions,
): readonly GivenProcessor[] {
  const what = "the function that createProcessorsWith returned";
  checkKeys(options, sliceKeys, what);
  return readProcessors(options, what, shared);
}

function readProcessors(
  options: ErasedSliceOptions,
  what: string,
  shared?: ErasedSharedOptions,
): readonly GivenProcessor[] {
  checkAttemptOptions(options, what);
  if (typeof options.processors !== "object" || options.processors === null)
    throw invalid(`processors must be an object { [typeName]: handler }; got ${show(options.processors)}.`);
  const middleware = [...(shared?.middleware ?? []), ...checkMiddleware(options.middleware)];
  const nearestFirst = shared === undefined ? [options] : [options, shared];
  return Object.entries(options.processors).map(([typeName, definition]) =>
    createProcessor(checkName(typeName, "typeName"), definition, { middleware, options: nearestFirst }),
  );
}

function checkMiddleware(middleware: readonly ErasedMiddleware[] = []): readonly ErasedMiddleware[] {
  if (!isList(middleware) || middleware.some((layer) => typeof layer !== "function"))
    throw invalid("middleware must be an array of functions.");
  return middleware;
}
