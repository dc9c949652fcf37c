import { inject } from "vitest";
import { askBroker } from "./ask-broker.ts";
import type { BackendName } from "./provide.ts";

declare module "vitest" {
  interface ProvidedContext {
    chainwrightBackends: string;
  }
}

/**
 * The URL of a backend for the suites of this file, started at the first call of the whole run; `undefined` when there is
 * none on this machine. With `CI=true` a missing backend is an error.
 *
 * @example
 * const url = await findBackend("postgres");
 * describe.skipIf(url === undefined)("on postgres", () => {});
 */
export function findBackend(name: BackendName): Promise<string | undefined> {
  return askBroker(inject("chainwrightBackends"), name);
}
