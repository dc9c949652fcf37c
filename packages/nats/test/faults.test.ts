import { startNats } from "@chainwright/backends";
import { notifyFaultCases } from "@chainwright/backends/notify-faults";
import { findBackend } from "@chainwright/backends/vitest";
import { connect } from "@nats-io/transport-node";
import { describe, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

const isMissing = (await findBackend("nats")) === undefined;

describe.skipIf(isMissing).concurrent("on NATS", () => {
  const cases = notifyFaultCases({
    start: () => startNats(),
    async open(url) {
      // The NATS client decides how soon it notices a dead server: by default after minutes.
      const connection = await connect({ servers: url, maxReconnectAttempts: -1, pingInterval: 1_000 });
      return { adapter: createNatsNotifyAdapter({ connection }), close: () => connection.close() };
    },
  });
  for (const { name, run } of cases) it(name, { timeout: 300_000 }, run);
});
