import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { serve } from "./serve.ts";
import { onEachStore } from "./stores.ts";

const chunk = `${(1_000).toString(16)}\r\n${" ".repeat(1_000)}\r\n`;

onEachStore((stage) => {
  describe("over a connection of its own", () => {
    it.each([
      { what: "a body that stops", status: 408, headers: "content-length: 100", body: '{"claim":' },
      { what: "a chunked body that stops", status: 408, headers: "transfer-encoding: chunked", body: chunk },
      {
        what: "a chunked body over the limit",
        status: 413,
        headers: "transfer-encoding: chunked",
        body: chunk.repeat(9),
      },
      { what: "a length over the limit", status: 413, headers: "content-length: 99999", body: "{" },
    ])("$what is refused with $status, and the connection ends", async ({ status, headers, body }) => {
      const made = await stage({ limits: { bodyBytes: 5_000, bodyMs: 20 } });
      const server = await serve(made);
      try {
        const socket = connect({ port: server.port, host: "127.0.0.1" });
        const ended = new Promise((resolve) => socket.once("close", resolve));
        let said = "";
        socket.setEncoding("utf8").on("data", (text: string) => (said += text));
        socket.on("error", () => undefined);
        const common = `host: a\r\nauthorization: Bearer ${made.secrets.owner}\r\ncontent-type: application/json`;
        socket.write(`POST /v1/exchange HTTP/1.1\r\n${common}\r\n${headers}\r\n\r\n${body}`);
        await ended;
        expect(said.split("\r\n")[0]).toContain(String(status));
        expect(made.failures).toEqual([]);
      } finally {
        await server.close();
      }
    });
  });
});
