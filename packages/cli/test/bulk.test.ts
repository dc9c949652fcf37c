import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { fillShop } from "./shop.ts";
import { stores, type TestStore } from "./stores.ts";

describe.each(stores)("many chains on $name", ({ make, isMissing }) => {
  if (isMissing) return;
  let store: TestStore;
  let shop: Awaited<ReturnType<typeof fillShop>>;
  const many = 450;

  beforeAll(async () => {
    store = await make();
    shop = await fillShop(store);
    const items = Array.from({ length: many }, (_each, place) => ({
      typeName: "order.place" as const,
      input: { orderId: `m-${place}` },
    }));
    await shop.client.startChains({ items });
  });
  afterAll(async () => {
    await shop.client.close();
    await store.close();
  });

  it("are changed in batches of 100, and Ctrl-C ends after a batch with a true account", async () => {
    const stop = Promise.withResolvers<void>();
    const args = ["--store", store.url, "--json", "chains", "cancel", "--type", "order.place", "--yes"];
    const notes: string[] = [];
    const running = cli(args, {
      untilStopped: async () => await stop.promise,
      onComplain: (text) => {
        notes.push(text);
        stop.resolve();
      },
    });
    const { code, out } = await running;
    expect(code).toBe(1);
    const account = JSON.parse(out) as { readonly cancelled: number; readonly notTried: number };
    expect(account.cancelled + account.notTried).toBe(many);
    expect(account.cancelled % 100).toBe(0);
    expect(account.notTried).toBeGreaterThan(0);
    expect(notes[0]).toBe("100 of 450\n");
    const { items } = await shop.client.listChains({ typeName: "order.place", status: "cancelled", limit: 1_000 });
    expect(items).toHaveLength(account.cancelled);
  });

  it("are all done but those that the store refuses, however many these are", async () => {
    const { items } = await shop.client.listChains({ typeName: "order.place", limit: 1_000 });
    const active = items.filter(({ status }) => status === "active").length;
    const ids = items.map(({ id }) => id);
    const ran = await cli(["--store", store.url, "chains", "cancel", ...ids, "--yes"]);
    expect(ran.code).toBe(1);
    expect(ran.lines.at(-1)).toBe(`cancelled: ${active} chains; refused: ${items.length - active}`);
  });
});
