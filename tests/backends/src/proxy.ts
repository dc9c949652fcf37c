import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { listen } from "./loopback.ts";

/** A TCP proxy on the loopback interface that can lose connections without either end noticing. */
export interface Proxy {
  readonly port: number;
  /** From now on nothing passes over the open connections, and none of them ends; new ones work. */
  loseConnections(): void;
  /** The number of connections that are open and not lost. */
  readonly connections: number;
  close(): Promise<void>;
}

export async function startProxy(targetPort: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const lost = new Set<Socket>();
  const server = createServer((socket) => {
    const pair = [socket, connect({ host: "127.0.0.1", port: targetPort })] as const;
    pairs.add(pair);
    const [near, far] = pair;
    near.pipe(far);
    far.pipe(near);
    for (const each of pair) {
      each.on("error", () => undefined);
      each.on("close", () => {
        if (pairs.delete(pair)) for (const end of pair) end.destroy();
      });
    }
  });
  const port = await listen(server);
  return {
    port,
    get connections() {
      return pairs.size;
    },
    loseConnections() {
      for (const pair of pairs) {
        pairs.delete(pair);
        for (const socket of pair) {
          socket.unpipe();
          socket.pause();
          lost.add(socket);
        }
      }
    },
    async close() {
      for (const socket of [...lost, ...[...pairs].flat()]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
