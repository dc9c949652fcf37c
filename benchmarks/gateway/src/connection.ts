import { once } from "node:events";
import { connect } from "node:net";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A connection of keep-alive HTTP/1.1 with one request at a time. */
export interface Connection {
  send(request: string): Promise<Answer>;
  close(): void;
}

const headEnd = "\r\n\r\n";

/**
 * Speaks HTTP by hand: the client of node:http needs as much CPU a request as the gateway, and the two share the machine. It reads
 * responses with a length only, as the gateway's are.
 */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  let waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void } | undefined;
  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = answerIn(received);
    if (answer === undefined) return;
    received = Buffer.alloc(0);
    waiting?.resolve(answer);
  });
  const fail = (): void => waiting?.reject(new Error("the gateway has closed the connection."));
  socket.on("error", fail);
  socket.on("close", fail);
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** The response, if all of it has come. */
function answerIn(received: Buffer): Answer | undefined {
  const at = received.indexOf(headEnd);
  if (at === -1) return undefined;
  const head = received.toString("latin1", 0, at);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  const bodyAt = at + headEnd.length;
  if (received.length < bodyAt + length) return undefined;
  return { status: Number(head.slice(9, 12)), body: received.toString("utf8", bodyAt, bodyAt + length) };
}
