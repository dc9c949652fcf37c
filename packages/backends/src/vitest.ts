import { inject } from "vitest";
import type { BackendName } from "./provide.ts";

declare module "vitest" {
  interface ProvidedContext {
    chainwrightBackends: string;
  }
}

/** How the global setup answers a suite. */
export type BackendAnswer = { readonly url: string } | { readonly missing: string };

/**
 * The URL of a backend for the suites of this file, started at the first call of the whole run; `undefined` when there is
 * none on this machine. With `CI=true` a missing backend is an error.
 *
 * @example
 * const url = await findBackend("postgres");
 * describe.skipIf(url === undefined)("on postgres", () => {});
 */
export async function findBackend(name: BackendName): Promise<string | undefined> {
  const response = await fetch(`${inject("chainwrightBackends")}/${name}`);
  const answer = (await response.json()) as BackendAnswer;
  if ("url" in answer) return answer.url;
  if (!response.ok || process.env["CI"] === "true") throw new Error(answer.missing);
  return undefined;
}
