/** A floor: a bare node:http server that parses each request and answers as many chains as it has, without a library or a store. */
import { createServer } from "node:http";
import { answerUsage, tellPort } from "./measured-process.ts";

const started = {
  id: "0190a1c2-0000-7000-8000-000000000000",
  typeName: "bench.run",
  status: "pending",
  createdAt: "2026-01-01T00:00:00.000Z",
  deduplicated: false,
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { chains } = JSON.parse(Buffer.concat(parts).toString()) as { readonly chains: readonly unknown[] };
    const body = JSON.stringify({ chains: chains.map(() => started) });
    response.writeHead(201, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});
answerUsage(() => ({ exchanges: 0, parked: 0 }));
tellPort(server);
