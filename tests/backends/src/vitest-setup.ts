import type { TestProject } from "vitest/node";
import { openBroker } from "./broker.ts";
import { provideBackend } from "./provide.ts";
import type { BackendName } from "./provide.ts";

// The data of tests is deleted with the server, so nothing has to be written to disk; every other setting is as in production.
const settings: Partial<Record<BackendName, Record<string, string>>> = {
  postgres: { fsync: "off", max_connections: "200" },
};

/** A vitest global setup: it serves backends to the suites until the run ends. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const broker = await openBroker({
    provide: (name) => provideBackend(name, { settings: settings[name] ?? {} }),
    report: (line) => console.log(line),
  });
  project.provide("chainwrightBackends", broker.url);
  return () => broker.close();
}
