import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { listen } from "./loopback.ts";
import { linkPostgres } from "./postgres-link.ts";
import type { Network } from "./postgres-link.ts";

export type { Fate, Network, PassingMessage } from "./postgres-link.ts";

/** A proxy before a Postgres that can delay, lose or insert messages and cut connections. */
export interface PostgresProxy {
  readonly url: string;
  /** Leads new connections to the server with that URL. */
  repoint(url: string): void;
  /** Ends every connection, also the lost ones. */
  cut(): void;
  /** Ends every connection, and accepts no more. */
  close(): Promise<void>;
}

/** Listens on the loopback interface, and connects clients to the server with that URL. It refuses encryption. */
export async function startPostgresProxy(url: string, network: Network): Promise<PostgresProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("close", () => sockets.delete(socket));
    }
    linkPostgres({ client, server }, network);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = String(await listen(proxy));
  return {
    url: proxied.href,
    repoint(next) {
      target = new URL(next);
    },
    cut,
    async close() {
      const closed = new Promise((resolve) => proxy.close(resolve));
      cut();
      await closed;
    },
  };
}
