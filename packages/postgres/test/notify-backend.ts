import { randomUUID } from "node:crypto";
import type { NotifyBackend } from "@chainwright/conformance";
import { createPostgresNotifyAdapter } from "../src/index.ts";
import type { OpenClient, OpenedClient } from "./notify-clients.ts";

/** A channel in a Postgres, and adapters on it, each with its own pool. */
export async function openBackend(open: OpenClient, url: string): Promise<NotifyBackend> {
  const name = `n_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const clients: OpenedClient[] = [];
  const connect = async (channelPrefix = name) => {
    const client = await open(url, name);
    clients.push(client);
    return createPostgresNotifyAdapter({ driver: client.driver, channelPrefix });
  };
  const adapter = await connect();
  const query: OpenedClient["query"] = async (...asked) => (await clients[0]?.query(...asked)) ?? [];
  return {
    adapter,
    connect,
    elsewhere: () => connect(`${name}_elsewhere`),
    say: async (text) => void (await query("select pg_notify($1, $2)", [`${name}_hints`, text])),
    // The last statement of a connection that listens is LISTEN, or a probe.
    breakLinks: async () =>
      void (await query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and query like 'listen %'",
        [name],
      )),
    async close() {
      for (const client of clients) await client.close();
    },
  };
}
