import { describe, inject, test } from "vitest";
import { askBroker } from "./ask-broker.ts";
import type { BackendName } from "./provide.ts";

/** One case of a suite that is given as data, as in `@chainwright/conformance`. */
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
 * Returns the URL of a backend, which is started at the first call of the whole run; `undefined` when this machine has none.
 * With `CI=true` a missing backend is an error.
 *
 * @example
 * const url = await findBackend("postgres");
 * describe.skipIf(url === undefined)("on postgres", () => {});
 */
export function findBackend(name: BackendName): Promise<string | undefined> {
  return askBroker(inject("chainwrightBackends"), name);
}

/**
 * Registers a group of tests on a server. If there is no server, one skipped test replaces the group.
 *
 * @example
 * describeOn("on Postgres", await findBackend("postgres"), (url) => {});
 */
export function describeOn(title: string, url: string | undefined, body: (url: string) => void): void {
  if (url === undefined) test.skip(`${title}: there is no such server`);
  else describe(title, () => body(url));
}

/**
 * Whether this run tests clients and workers on every driver (`npm run test:drivers`). Each run tests the port on every driver,
 * and clients and workers behave differently between drivers only if the port does.
 */
export function areAllDriversTested(): boolean {
  return process.env["CHAINWRIGHT_DRIVERS"] === "all";
}

/**
 * Registers a group of tests that only `npm run test:drivers` runs. Otherwise one skipped test replaces the group.
 *
 * @example
 * describeOtherDrivers("clients and workers, with another driver", () => {});
 */
export function describeOtherDrivers(title: string, body: () => void): void {
  if (areAllDriversTested()) describe(title, body);
  else test.skip(`${title}: runs with "npm run test:drivers"`);
}

/**
 * With `npm run test:drivers -- --every n`: every n-th of the cases, from the one with the number `share` on. So n libraries with
 * shares that follow each other run all cases together. Otherwise, and without a share, all cases.
 */
export function shareOf<Each>(cases: readonly Each[], share: number | undefined): readonly Each[] {
  const every = Number(process.env["CHAINWRIGHT_ORM_CASES"] ?? 1);
  return share === undefined ? cases : cases.filter((_, index) => index % every === share % every);
}

/**
 * Registers the cases of a conformance suite. One skipped test reports how many cases this backend cannot run, and why.
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
