import { Agent, request } from "node:http";
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

/** A client with a connection for each caller. */
export function createApi({ port, secret }: MeasuredServer, connections: number): Api {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const post = (path: string, body: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const length = { "content-length": Buffer.byteLength(text) };
      const sent = request({
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path,
        headers: { ...headers, ...length },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        let said = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (said += chunk));
        response.on("end", () => {
          if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(said) as unknown);
          else reject(new Error(`${path}: ${response.statusCode} ${said.slice(0, 500)}`));
        });
      });
      sent.end(text);
    });
  return {
    post,
    exchange: async (body) => (await post("/v1/exchange", body)) as ExchangeReply,
    close: () => agent.destroy(),
  };
}
