import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { createNodeListener } from "../src/node.ts";
import type { Stage } from "./stage.ts";

/** Serves a gateway on a port of its own. */
export async function serve({ gateway }: Stage) {
  const listener = createNodeListener(gateway);
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async untilNoConnection() {
      const count = promisify(server.getConnections.bind(server));
      while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
