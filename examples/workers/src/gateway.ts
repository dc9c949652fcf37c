// A gateway on node:http, for workers in other languages.
import type { AddressInfo } from "node:net";
import { createGateway, hashKey } from "@chainwright/gateway";
import { createNodeServer } from "@chainwright/gateway/node";
import { openClient } from "./store.ts";

const { STORE = "texts.db", PORT = "8080", GATEWAY_KEY = "", TOKEN_SECRET = "" } = process.env;

const { client, close } = await openClient(STORE);
const gateway = createGateway({
  client,
  keys: [
    { name: "texts", hash: hashKey(GATEWAY_KEY), scopes: [{ types: ["text.*"], verbs: ["start", "work", "read"] }] },
  ],
  tokenSecrets: [TOKEN_SECRET],
  elsewhere: {
    "text.count": { retry: { maxAttempts: 20, backoff: { initialMs: 50, maxMs: 1_000 } } },
    "text.report": { retry: { maxAttempts: 20, backoff: { initialMs: 50, maxMs: 1_000 } } },
  },
});

const server = createNodeServer(gateway);
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

async function shutDown(): Promise<void> {
  server.close();
  await gateway.close();
  await close();
}
process.once("SIGTERM", () => void shutDown());
