import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { listen } from "./loopback.ts";
import { linkPostgres } from "./postgres-link.ts";
import type { Network } from "./postgres-link.ts";

export type { Fate, Network, PassingMessage } from "./postgres-link.ts";

/** A way to a Postgres on which every message may meet with an accident. */
export interface PostgresProxy {
  readonly url: string;
  /** Ends every connection, those that are lost among them. */
  close(): Promise<void>;
}

/** Listens on the loopback interface, in front of the server with that URL. Whoever asks for encryption is told that there is none. */
export async function startPostgresProxy(url: string, network: Network): Promise<PostgresProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("close", () => sockets.delete(socket));
    }
    linkPostgres({ client, server }, network);
  });
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = String(await listen(proxy));
  return {
    url: proxied.href,
    async close() {
      const closed = new Promise((resolve) => proxy.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
