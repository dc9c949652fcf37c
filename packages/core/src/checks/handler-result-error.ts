import { ChainwrightError } from "../model/error.ts";

/** A handler that did not keep to the rules. */
export function handlerResultError(typeName: string, what: string): ChainwrightError {
  return new ChainwrightError("handler-result", `the handler of "${typeName}" ${what}.`);
}
