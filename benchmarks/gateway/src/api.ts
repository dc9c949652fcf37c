import { openConnection, type Connection } from "./connection.ts";
import type { MeasuredServer } from "./server.ts";

export interface ExchangeReply {
  readonly results: readonly { readonly status: string }[];
  readonly jobs: readonly { readonly token: string; readonly input: unknown }[];
}

export interface Api {
  post(path: string, body: unknown): Promise<unknown>;
  exchange(body: unknown): Promise<ExchangeReply>;
  close(): void;
}

/** A client that opens a connection for each request that finds all others in use. */
export function createApi({ port, secret }: MeasuredServer): Api {
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const open = async (): Promise<Connection> => {
    const connection = await openConnection(port);
    all.add(connection);
    return connection;
  };
  const common = `host: 127.0.0.1\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json`;
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const text = JSON.stringify(body);
    const connection = idle.pop() ?? (await open());
    const head = `POST ${path} HTTP/1.1\r\n${common}\r\ncontent-length: ${Buffer.byteLength(text)}`;
    const answer = await connection.send(`${head}\r\n\r\n${text}`);
    idle.push(connection);
    if (answer.status < 300) return JSON.parse(answer.body) as unknown;
    throw new Error(`${path}: ${answer.status} ${answer.body.slice(0, 500)}`);
  };
  return {
    post,
    exchange: async (body) => (await post("/v1/exchange", body)) as ExchangeReply,
    close() {
      for (const connection of all) connection.close();
    },
  };
}
