import { checkKeys, checkName, invalid } from "../checks/check-options.ts";
import { createProcessor, type ErasedDefinition, type ErasedMiddleware, type Processor } from "./processor.ts";

/** What `createProcessors` takes, types erased. */
export interface ErasedProcessorsOptions {
  readonly client: object;
  readonly jobTypes: object;
  readonly processors: Readonly<Record<string, ErasedDefinition>>;
  readonly middleware?: readonly ErasedMiddleware[] | undefined;
}

const processorsKeys: ReadonlySet<string> = new Set(["client", "jobTypes", "processors", "middleware"]);

/** Checks the handlers of one slice. */
export function createErasedProcessors(options: ErasedProcessorsOptions): readonly Processor[] {
  checkKeys(options, processorsKeys, "createProcessors");
  const { middleware = [] } = options;
  if (typeof options.processors !== "object" || options.processors === null)
    throw invalid("createProcessors takes processors: { [typeName]: handler }.");
  if (!Array.isArray(middleware) || middleware.some((layer) => typeof layer !== "function"))
    throw invalid("middleware is an array of functions.");
  return Object.entries(options.processors).map(([typeName, definition]) =>
    createProcessor(checkName(typeName, "typeName"), definition, middleware),
  );
}
