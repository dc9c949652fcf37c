import type { TestProject } from "vitest/node";
import { openBroker } from "./broker.ts";
import { provideBackend } from "./provide.ts";
import type { BackendName } from "./provide.ts";

// Tests throw their data away with the server, so nothing need reach the disk; every other setting is as in production.
const settings: Partial<Record<BackendName, Record<string, string>>> = {
  postgres: { fsync: "off", max_connections: "200" },
};

/** A vitest global setup: serves backends to the suites for as long as the run lasts. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const broker = await openBroker({
    provide: (name) => provideBackend(name, { settings: settings[name] ?? {} }),
    report: (line) => console.log(line),
  });
  project.provide("chainwrightBackends", broker.url);
  return () => broker.close();
}
