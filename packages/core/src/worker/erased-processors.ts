import { checkKeys, checkName, invalid, show } from "../checks/check-options.ts";
import { createProcessor, type ErasedDefinition, type ErasedMiddleware, type Processor } from "./processor.ts";

/** The options of `createProcessors`, types erased. */
export interface ErasedProcessorsOptions {
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
} satisfies Record<keyof ErasedProcessorsOptions, true>;

/** Checks the handlers of one slice. */
export function createErasedProcessors(options: ErasedProcessorsOptions): readonly Processor[] {
  checkKeys(options, processorsKeys, "createProcessors");
  const { middleware = [] } = options;
  if (typeof options.processors !== "object" || options.processors === null)
    throw invalid(`processors must be an object { [typeName]: handler }; got ${show(options.processors)}.`);
  if (!Array.isArray(middleware) || middleware.some((layer) => typeof layer !== "function"))
    throw invalid("middleware must be an array of functions.");
  return Object.entries(options.processors).map(([typeName, definition]) =>
    createProcessor(checkName(typeName, "typeName"), definition, middleware),
  );
}
