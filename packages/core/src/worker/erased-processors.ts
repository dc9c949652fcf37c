import { checkKeys, checkName, invalid, show } from "../checks/check-options.ts";
import { checkAttemptOptions, type AttemptOptions } from "./attempt-options.ts";
import { createProcessor, type ErasedDefinition, type ErasedMiddleware, type GivenProcessor } from "./processor.ts";

/** The options of `createProcessors`, types erased. */
export interface ErasedProcessorsOptions extends AttemptOptions {
  readonly client: object;
  readonly jobTypes: object;
  readonly processors: Readonly<Record<string, ErasedDefinition>>;
  readonly middleware?: readonly ErasedMiddleware[] | undefined;
}

const processorsKeys = {
  client: true,
  jobTypes: true,
  processors: true,
  middleware: true,
  retry: true,
  timeoutMs: true,
  leaseMs: true,
} satisfies Record<keyof ErasedProcessorsOptions, true>;

/** Checks the handlers of one slice. */
export function createErasedProcessors(options: ErasedProcessorsOptions): readonly GivenProcessor[] {
  checkKeys(options, processorsKeys, "createProcessors");
  checkAttemptOptions(options, "createProcessors");
  const { middleware = [] } = options;
  if (typeof options.processors !== "object" || options.processors === null)
    throw invalid(`processors must be an object { [typeName]: handler }; got ${show(options.processors)}.`);
  if (!Array.isArray(middleware) || middleware.some((layer) => typeof layer !== "function"))
    throw invalid("middleware must be an array of functions.");
  return Object.entries(options.processors).map(([typeName, definition]) =>
    createProcessor(checkName(typeName, "typeName"), definition, { middleware, options }),
  );
}
