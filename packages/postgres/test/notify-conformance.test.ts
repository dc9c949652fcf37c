import { randomUUID } from "node:crypto";
import { findBackend } from "@chainwright/backends/vitest";
import { notifyConformance } from "chainwright/conformance";
import type { NotifyBackend } from "chainwright/conformance";
import { describe, test } from "vitest";
import { createPostgresNotifyAdapter } from "../src/index.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";
import type { OpenClient, OpenedClient } from "./notify-clients.ts";

const url = await findBackend("postgres");

async function openBackend(open: OpenClient): Promise<NotifyBackend> {
  const name = `n_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const clients: OpenedClient[] = [];
  const connect = async (channelPrefix = name) => {
    const client = await open(url ?? "", name);
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
    // What a connection that listens did last is to listen, or to look for a sign of life.
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

describe.each([
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const)("notify port, on %s", (_name, open) => {
  const cases = notifyConformance({ createAdapter: () => openBackend(open) });
  for (const { name, skipped, run } of cases) test.skipIf(url === undefined || skipped !== undefined)(name, run);
});
