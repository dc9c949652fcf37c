import { createServer } from "node:http";
import type { Server as HttpServer } from "node:http";
import type { TestProject } from "vitest/node";
import { BackendMissingError } from "./missing.ts";
import { backendNames, provideBackend, remedyFor } from "./provide.ts";
import type { BackendName, ProvidedBackend } from "./provide.ts";
import type { BackendAnswer } from "./vitest.ts";

// Tests throw their data away with the server, so nothing need reach the disk; every other setting is as in production.
const settings: Partial<Record<BackendName, Record<string, string>>> = {
  postgres: { fsync: "off", max_connections: "200" },
};

/**
 * A vitest global setup. Nothing is started until a suite asks: the suites run in processes of their own, so they ask
 * over loopback, and the first question starts the server for all of them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const asked = new Map<BackendName, Promise<ProvidedBackend>>();
  const missing = new Map<BackendName, string>();

  const answer = async (name: BackendName): Promise<BackendAnswer> => {
    const found = asked.get(name) ?? provideBackend(name, { settings: settings[name] ?? {} });
    asked.set(name, found);
    try {
      return { url: (await found).url };
    } catch (error) {
      if (!(error instanceof BackendMissingError)) throw error;
      missing.set(name, error.message);
      return { missing: error.message };
    }
  };

  const broker = createServer((request, response) => {
    const name = backendNames.find((each) => request.url === `/${each}`);
    const reply = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(body));
    };
    if (name === undefined) return reply(404, { missing: `no such backend: ${String(request.url)}` });
    answer(name).then(
      (body) => reply(200, body),
      (error: unknown) => reply(500, { missing: error instanceof Error ? error.message : String(error) }),
    );
  });
  project.provide("chainwrightBackends", await listen(broker));

  return async () => {
    broker.close();
    broker.closeAllConnections();
    await Promise.allSettled([...asked.values()].map(async (found) => (await found).server?.stop()));
    for (const [name, why] of missing) console.log(`SKIPPED the suites on ${name}: ${why} (${remedyFor(name)})`);
  };
}

function listen(broker: HttpServer): Promise<string> {
  return new Promise((resolve, reject) => {
    broker.once("error", reject);
    broker.listen(0, "127.0.0.1", () => {
      const address = broker.address();
      if (address !== null && typeof address === "object") resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}
