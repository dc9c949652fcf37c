import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { lookForLeaks } from "../src/leaks/look-for-leaks.ts";
import { needOf, pairNames } from "../src/leaks/pairs.ts";

const urls = {
  postgres: await findBackend("postgres"),
  redis: await findBackend("redis"),
  nats: await findBackend("nats"),
};

describe("work, waits and reconnects leave nothing behind, and a process whose adapters are closed ends", () => {
  for (const pair of pairNames) {
    const need = needOf(pair);
    it.skipIf(need !== undefined && urls[need] === undefined)(pair, { timeout: 300_000 }, async () => {
      const times = { jobs: 2_000, waits: 2_000, reconnects: 10 };
      const wrong = await lookForLeaks({
        pair,
        urls,
        times,
        // A limit for what hangs, on a machine that may be slow; the whole run takes 2 seconds.
        exitMs: 20_000,
        against: "sources",
        tell: () => undefined,
      });
      expect(wrong).toEqual([]);
    });
  }
});
