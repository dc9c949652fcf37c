import { createServer } from "node:http";
import type { Server as HttpServer } from "node:http";
import { BackendMissingError } from "./missing.ts";
import { backendNames, remedyFor } from "./provide.ts";
import type { BackendName, ProvidedBackend } from "./provide.ts";

/** The reply to a suite. */
export type BackendAnswer = { readonly url: string } | { readonly missing: string };

export interface Broker {
  readonly url: string;
  /** Stops the started servers, and reports one line for each backend that was requested and not found. */
  close(): Promise<void>;
}

export interface BrokerOptions {
  readonly provide: (name: BackendName) => Promise<ProvidedBackend>;
  readonly report: (line: string) => void;
}

/**
 * Test suites run in their own processes, so they request backends over loopback. The first request for a backend starts one
 * server for all suites; a backend that no suite requests is not started.
 */
export async function openBroker({ provide, report }: BrokerOptions): Promise<Broker> {
  const asked = new Map<BackendName, Promise<ProvidedBackend>>();
  const missing = new Map<BackendName, string>();

  const find = async (name: BackendName): Promise<BackendAnswer> => {
    const found = asked.get(name) ?? provide(name);
    asked.set(name, found);
    try {
      return { url: (await found).url };
    } catch (error) {
      if (!(error instanceof BackendMissingError)) throw error;
      missing.set(name, error.message);
      return { missing: error.message };
    }
  };

  const http = createServer((request, response) => {
    const name = backendNames.find((each) => request.url === `/${each}`);
    const reply = (status: number, body: BackendAnswer) => {
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(body));
    };
    if (name === undefined) return reply(404, { missing: `no such backend: ${String(request.url)}` });
    find(name).then(
      (body) => reply(200, body),
      (error: unknown) => reply(500, { missing: error instanceof Error ? error.message : String(error) }),
    );
  });

  return {
    url: await listen(http),
    async close() {
      http.close();
      http.closeAllConnections();
      await Promise.allSettled([...asked.values()].map(async (found) => (await found).server?.stop()));
      for (const [name, why] of missing) report(`SKIPPED the suites on ${name}: ${why} (${remedyFor(name)})`);
    },
  };
}

function listen(http: HttpServer): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(0, "127.0.0.1", () => {
      const address = http.address();
      if (address !== null && typeof address === "object") resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}
