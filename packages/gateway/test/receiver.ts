import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A message that has arrived, with a signature that was verified. */
export interface Received {
  readonly id: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string };
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const ok: Reply = (response) => void response.writeHead(204).end();

/** With a certificate it is served by https. */
export interface ReceiverOptions {
  /** In PEM. */
  readonly key: string;
  /** In PEM. */
  readonly cert: string;
}

/** A server that verifies messages as receivers do, by the library of Standard Webhooks. */
export async function createReceiver(secret: string, tls?: ReceiverOptions) {
  const replies: Reply[] = [];
  const received: Received[] = [];
  const refused: unknown[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const arrived = (): void => {
    for (const each of waiting) if (received.length >= each.count) each.resolve();
  };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part as Uint8Array));
    const { headers, url = "" } = request;
    const signed = Object.fromEntries(
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, String(headers[name])]),
    );
    try {
      const event = new Webhook(secret).verify(Buffer.concat(parts), signed) as Received["event"];
      received.push({ id: String(headers["webhook-id"]), path: url, contentType: headers["content-type"], event });
    } catch (error) {
      refused.push(error);
      return void response.writeHead(401).end();
    }
    (replies.shift() ?? ok)(response, request);
    arrived();
  };
  const listener: RequestListener = (request, response) => void receive(request, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `${tls === undefined ? "http" : "https"}://${host}/hook`,
    received,
    refused,
    /** Replies of the next requests, in turn; then 204. */
    replies,
    /** Resolves when so many messages have arrived in all. */
    count: async (count: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      arrived();
      await promise;
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(code, headers).end();
