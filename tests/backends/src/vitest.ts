import { describe, inject, test } from "vitest";
import { askBroker } from "./ask-broker.ts";
import type { BackendName } from "./provide.ts";

/** One rule of a suite that is data, as `@chainwright/conformance` has them. */
interface Case {
  readonly name: string;
  readonly skipped: string | undefined;
  run(): Promise<void>;
}

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

/**
 * A group of tests on a server. Where there is none, one skipped test stands for the group.
 *
 * @example
 * describeOn("on Postgres", await findBackend("postgres"), (url) => {});
 */
export function describeOn(title: string, url: string | undefined, body: (url: string) => void): void {
  if (url === undefined) test.skip(`${title}: there is no such server`);
  else describe(title, () => body(url));
}

/**
 * Whether the drivers are tested that say nothing new about the stores: `npm run test:drivers`. The port is tested on every
 * driver, and what clients and workers make of a port differs between drivers only if the port does.
 */
export function areAllDriversTested(): boolean {
  return process.env["CHAINWRIGHT_DRIVERS"] === "all";
}

/**
 * A group of tests that only `npm run test:drivers` runs. Otherwise one skipped test stands for the group.
 *
 * @example
 * describeOtherDrivers("clients and workers, with another driver", () => {});
 */
export function describeOtherDrivers(title: string, body: () => void): void {
  if (areAllDriversTested()) describe(title, body);
  else test.skip(`${title}: runs with "npm run test:drivers"`);
}

/**
 * Registers the cases of a conformance suite. Of those that this backend cannot run, one skipped test says how many and why.
 *
 * @example
 * testCases(notifyConformance({ createAdapter }));
 */
export function testCases(cases: readonly Case[], options: { readonly timeout?: number } = {}): void {
  const skipped = new Map<string, number>();
  for (const { name, skipped: reason, run } of cases) {
    if (reason === undefined) test(name, options, run);
    else skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  }
  for (const [reason, count] of skipped) test.skip(`${count} cases are skipped: ${reason}`);
}
