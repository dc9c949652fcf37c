import { randomUUID } from "node:crypto";
import type { NotifyBackend } from "@chainwright/conformance";
import { createRedisNotifyAdapter } from "../src/index.ts";
import type { OpenClient, OpenedClient } from "./clients.ts";

/** Opens adapters on a new channel of a Redis server, each with a client of its own. */
export async function openBackend(open: OpenClient, at: string): Promise<NotifyBackend> {
  const name = randomUUID();
  const clients: OpenedClient[] = [];
  const connect = async (channelPrefix = name) => {
    const client = await open(at, name);
    clients.push(client);
    return createRedisNotifyAdapter({ driver: client.driver, channelPrefix });
  };
  const adapter = await connect();
  const send: OpenedClient["send"] = (...command) =>
    clients[0]?.send(...command) ?? Promise.reject(new Error("closed"));
  return {
    adapter,
    connect,
    elsewhere: () => connect(`${name}-elsewhere`),
    say: async (text) => void (await send("PUBLISH", `${name}:hints`, text)),
    async breakLinks() {
      const lines = String(await send("CLIENT", "LIST")).split("\n");
      const listening = lines.filter((line) => line.includes(name) && / sub=[1-9]/.test(line));
      for (const line of listening) await send("CLIENT", "KILL", "ID", /id=(\d+)/.exec(line)?.[1] ?? "");
    },
    async close() {
      for (const client of clients) await client.close();
    },
  };
}
