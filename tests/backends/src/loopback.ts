import { connect, createServer } from "node:net";
import type { Server } from "node:net";

/**
 * Ports for servers that are stopped and started again. None of them is one that systems give to outgoing connections, which
 * begin at 32,768: while a server is down, a client that connects to its port could be given that very port, and be connected
 * to itself.
 */
const ports = { from: 12_000, to: 32_000 };

/** A TCP port of 127.0.0.1 on which no one listens at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.from + Math.floor(Math.random() * (ports.to - ports.from));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => void server.close(() => resolve(true)));
  });
}

/** Listens on a free port of 127.0.0.1, and says which. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address.port);
      else reject(new Error("no port"));
    });
  });
}

export interface Greeting<T> {
  readonly port: number;
  /** Sent on connecting. */
  readonly say?: Uint8Array | string;
  /** Reads all that came so far: `undefined` means not enough yet; throws when the server says no. */
  readonly hear: (received: Buffer) => T | undefined;
}

/** One conversation with a server, of at most a second: the client libraries belong to the adapters, not to this. */
export function greet<T>({ port, say, hear }: Greeting<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    let received = Buffer.alloc(0);
    const end = (finish: () => void) => {
      socket.destroy();
      finish();
    };
    socket.setTimeout(1_000, () => end(() => reject(new Error(`nothing heard on port ${port}`))));
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("close", () => reject(new Error(`port ${port} closed the connection`)));
    socket.on("connect", () => {
      if (say !== undefined) socket.write(say);
    });
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      try {
        const answer = hear(received);
        if (answer !== undefined) end(() => resolve(answer));
      } catch (error) {
        end(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    });
  });
}
