import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import type { Server } from "node:net";

/**
 * Ports for servers that are stopped and started again. All are below 32,768, where the ports of outgoing connections begin:
 * otherwise a client that connects while the server is down could get the same port as its own, and be connected to itself.
 */
const ports = { from: 12_000, to: 32_000 };

/** A TCP port of 127.0.0.1 on which no one listens, and which no other process gets from this function while this one runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.from + Math.floor(Math.random() * (ports.to - ports.from));
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/**
 * Takes the UDP port of the same number, which these servers do not use, until this process ends. Otherwise two processes could
 * find the same port free, and one of them would take the other's server for its own.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket({ type: "udp4", reuseAddr: false });
    socket.once("error", () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      socket.unref();
      resolve(true);
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => void server.close(() => resolve(true)));
  });
}

/** Listens on a free port of 127.0.0.1, and returns the port. */
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
  /** The bytes to send after connecting. */
  readonly say?: Uint8Array | string;
  /** Reads everything received so far; returns `undefined` if more is needed, and throws if the server refuses. */
  readonly hear: (received: Buffer) => T | undefined;
}

/** One exchange with a server, of at most a second. It needs no client library, because those belong to the adapters. */
export function greet<T>({ port, say, hear }: Greeting<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    let received = Buffer.alloc(0);
    const end = (finish: () => void) => {
      socket.destroy();
      finish();
    };
    socket.setTimeout(1_000, () => end(() => reject(new Error(`no reply from port ${port} within a second`))));
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("close", () => reject(new Error(`port ${port} closed the connection`)));
    socket.on("connect", () => {
      if (say !== undefined) socket.write(say);
    });
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      try {
        const result = hear(received);
        if (result !== undefined) end(() => resolve(result));
      } catch (error) {
        end(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    });
  });
}
