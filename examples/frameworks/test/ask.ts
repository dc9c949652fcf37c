import { request, type IncomingMessage } from "node:http";

/** A request with headers that a `fetch` could not send: those that a browser writes itself. */
export interface Asked {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export async function open({ port, path, headers = {}, body }: Asked): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
  return await new Promise((resolve, reject) => {
    request(
      {
        host: "127.0.0.1",
        port,
        path: `/jobs/${path}`,
        method: text === undefined ? "GET" : "POST",
        headers: { ...headers, ...length },
      },
      resolve,
    )
      .once("error", reject)
      .end(text);
  });
}

export async function ask(asked: Asked): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const response = await open(asked);
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return { status: response.statusCode, text };
}

/** Reads a stream until it contains a text; rejects if it ends before. */
export async function readUntil(stream: AsyncIterable<unknown>, text: string): Promise<string> {
  let read = "";
  for await (const chunk of stream) {
    read += String(chunk);
    if (read.includes(text)) return read;
  }
  throw new Error(`the stream ended before ${text}: ${read}`);
}
