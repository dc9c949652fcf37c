import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A proxy to a Postgres that counts the round trips of all connections, and that can be cut. */
export interface Wire {
  readonly url: string;
  /** The round trips since the last call of this function. */
  count(): number;
  /** Breaks every connection, as a network does. */
  cut(): void;
  close(): Promise<void>;
}

/** A round trip begins with the first message that a client sends after a reply of the server. */
export async function openWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let heard = true;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      if (heard) trips += 1;
      heard = false;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      heard = true;
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const wired = new URL(url);
  wired.hostname = "127.0.0.1";
  wired.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: wired.href,
    count: () => {
      const counted = trips;
      trips = 0;
      return counted;
    },
    cut,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
