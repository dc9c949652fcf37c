import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Dashboard } from "../../src/create-dashboard.ts";
import { createNodeListener } from "../../src/node.ts";

/** Serves a dashboard on the loopback interface, on any free port. */
export async function serve(dashboard: Dashboard) {
  const listen = createNodeListener(dashboard);
  return await serveListener((request, response) => void listen(request, response));
}

export async function serveListener(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
