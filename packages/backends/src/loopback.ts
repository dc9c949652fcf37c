import { connect, createServer } from "node:net";
import type { Server } from "node:net";

/** A TCP port of 127.0.0.1 that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === "object") resolve(address.port);
        else reject(new Error("no port"));
      });
    });
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
