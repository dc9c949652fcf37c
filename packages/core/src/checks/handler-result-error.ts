import { ChainwrightError } from "../model/error.ts";

/** The error of a handler that broke a rule. */
export function handlerResultError(
  typeName: string,
  what: string,
  options: { readonly cause?: unknown } = {},
): ChainwrightError {
  return new ChainwrightError("handler-result", `the handler of "${typeName}" ${what}.`, options);
}
