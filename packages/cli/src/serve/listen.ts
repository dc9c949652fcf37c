import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that is listening. */
export interface Listening {
  readonly port: number;
  /** Passes requests to a listener. */
  serve(listener: RequestListener): void;
  close(): Promise<void>;
}

/** A request's head and body must arrive within this time. */
const requestTimeoutMs = 30_000;

/** Listens on a port; 0: any free one. */
export async function listen({ port, host }: { readonly port: number; readonly host: string }): Promise<Listening> {
  const server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: portOf(server.address()),
    serve: (listener) => void server.on("request", listener),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("the server has no port");
}
