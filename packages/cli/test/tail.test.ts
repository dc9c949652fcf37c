import { createWorker } from "chainwright";
import { describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { shopOf } from "./shop.ts";
import { stores } from "./stores.ts";

describe.each(stores)("tail on $name", ({ make, isMissing }) => {
  it.skipIf(isMissing)(
    "shows each start and each end once, also of chains that were active before, until it is stopped",
    async () => {
      const store = await make();
      await store.stateAdapter.migrate();
      const { client, processors } = shopOf(store);
      const before = await client.startChain({ typeName: "mail.send", input: { to: "early" } });
      const stop = Promise.withResolvers<void>();
      const waiting = Promise.withResolvers<void>();
      const printed: string[] = [];
      const running = cli(["--store", store.url, "--json", "tail"], {
        untilStopped: async () => await stop.promise,
        onComplain: () => waiting.resolve(),
        onPrint: (text) => void printed.push(text),
      });
      const events = (): readonly (readonly [unknown, unknown])[] =>
        printed.map((line) => {
          const { event, id } = JSON.parse(line) as { readonly event: string; readonly id: string };
          return [id, event] as const;
        });
      await waiting.promise;
      const bad = await client.startChain({ typeName: "mail.send", input: { to: "bad" } });
      await expect.poll(events, { timeout: 50_000 }).toContainEqual([bad.id, "started"]);
      const worker = createWorker({ client, processors: [processors], pollIntervalMs: 50 });
      await worker.start();
      const placed = await client.startChain({ typeName: "order.place", input: { orderId: "o" } });
      const expected = [
        [before.id, "completed"],
        [bad.id, "started"],
        [bad.id, "failed"],
        [placed.id, "started"],
        [placed.id, "completed"],
      ];
      for (const each of expected) await expect.poll(events, { timeout: 50_000 }).toContainEqual(each);
      stop.resolve();
      expect(await running).toMatchObject({ code: 0 });
      expect(events()).toHaveLength(expected.length);
      await worker.stop();
      await client.close();
      await store.close();
    },
  );
});
