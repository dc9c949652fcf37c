import { createWorker } from "chainwright";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addCallback,
  createCallbackProcessors,
  createCallbackSecret,
  type CallbackOptions,
  type CallbackReceiver,
} from "../src/callbacks/index.ts";
import { createShop } from "./callback-shop.ts";
import { createReceiver, status } from "./receiver.ts";
import { stores, type TestStore } from "./stores.ts";

const secret = createCallbackSecret();
const quick = { maxAttempts: 5, backoff: { initialMs: 1, jitter: 0 } };

describe.each(stores)("callbacks on $name", { timeout: 60_000 }, ({ make, isMissing }) => {
  if (isMissing) return;
  let store: TestStore;
  let shop: ReturnType<typeof createShop>;
  let receiver: Awaited<ReturnType<typeof createReceiver>>;
  const ends: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    store = await make();
    shop = createShop(store.stateAdapter);
    receiver = await createReceiver(secret);
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
    await shop.client.close();
    await receiver.close();
    await store.close();
  });

  const run = async (options: Partial<CallbackOptions> = {}): Promise<void> => {
    const { client, work } = shop;
    const rules = { hosts: [receiver.host], allowHttp: true, allowPrivate: true };
    const callbacks = createCallbackProcessors({ client, ...rules, secrets: [secret], retry: quick, ...options });
    const worker = createWorker({ client, processors: [work, callbacks] });
    await worker.start();
    ends.push(async () => await worker.stop());
  };
  const start = async (fails = false, more: { readonly format?: "cloudevents"; readonly by?: string } = {}) => {
    const { client } = shop;
    return await client.transaction(async (tx) => {
      const chain = await client.startChain({ tx, typeName: "work", input: { fails } });
      const id = await addCallback({ client, tx, chain, url: receiver.url, ...more });
      return { chain, callback: { id, typeName: "gateway.callback" as const } };
    });
  };
  const deliveryOf = async (callback: { readonly id: string; readonly typeName: "gateway.callback" }) => {
    const { output } = await shop.client.awaitChain(callback, { timeoutMs: 30_000 });
    return { id: output.deliveryId, typeName: "gateway.callback-delivery" as const };
  };
  const resultOf = async (callback: { readonly id: string; readonly typeName: "gateway.callback" }) =>
    (await shop.client.awaitChain(await deliveryOf(callback), { timeoutMs: 30_000 })).output;

  it("tell the URL of a completed chain, signed, once", async () => {
    await run();
    const { chain, callback } = await start();
    expect(await resultOf(callback)).toEqual({ result: "delivered", status: 204 });
    expect(receiver.received).toEqual([
      {
        id: callback.id,
        path: "/hook",
        contentType: "application/json",
        event: {
          type: "chain.completed",
          timestamp: expect.stringMatching(/Z$/),
          data: { chainId: chain.id, typeName: "work", output: { text: "done" } },
        },
      },
    ]);
    expect(receiver.refused).toEqual([]);
  });

  it("tell the URL of a failed and of a cancelled chain", async () => {
    const cancelled = await start();
    await shop.client.cancelChain({ id: cancelled.chain.id, reason: "not wanted" });
    await run();
    await receiver.count(1);
    const failed = await start(true);
    await receiver.count(2);
    expect(receiver.received.map(({ event }) => event)).toMatchObject([
      { type: "chain.cancelled", data: { chainId: cancelled.chain.id, reason: "not wanted" } },
      { type: "chain.failed", data: { chainId: failed.chain.id, error: { message: "it is broken" } } },
    ]);
    expect(receiver.received.map(({ id }) => id)).toEqual([cancelled.callback.id, failed.callback.id]);
  });

  it("tell the URL of a chain that had ended before, once for a URL", async () => {
    await run();
    const { client } = shop;
    const chain = await client.startChain({ typeName: "work", input: { fails: false } });
    await client.awaitChain(chain);
    const ids = [
      await addCallback({ client, chain, url: receiver.url }),
      await addCallback({ client, chain, url: receiver.url }),
    ];
    expect(new Set(ids).size).toBe(1);
    await resultOf({ id: ids[0] ?? "", typeName: "gateway.callback" });
    expect(receiver.received).toHaveLength(1);
  });

  it("try again with the same id until the receiver takes it, and follow no redirect", async () => {
    receiver.replies.push(
      status(500),
      status(302, { location: "/elsewhere" }),
      (response) => void response.destroy(),
      status(200),
    );
    await run();
    const { callback } = await start();
    expect(await resultOf(callback)).toEqual({ result: "delivered", status: 200 });
    expect(receiver.received.map(({ id, path }) => [id, path])).toEqual(
      Array.from({ length: 4 }, () => [callback.id, "/hook"]),
    );
    expect(new Set(receiver.received.map(({ event }) => JSON.stringify(event))).size).toBe(1);
  });

  it("give a receiver that does not respond up after its time", async () => {
    receiver.replies.push(() => undefined);
    await run({ timeoutMs: 200 });
    const { callback } = await start();
    expect(await resultOf(callback)).toEqual({ result: "delivered", status: 204 });
    expect(receiver.received).toHaveLength(2);
  });

  it("read nothing of an endless response", async () => {
    receiver.replies.push((response) => {
      response.writeHead(200);
      const more = (): void => void (response.destroyed || response.write("x".repeat(65_536), more));
      more();
    });
    await run();
    const { callback } = await start();
    expect(await resultOf(callback)).toEqual({ result: "delivered", status: 200 });
  });

  it("fail for good when the receiver refuses each attempt, and can be retried by hand", async () => {
    receiver.replies.push(...Array.from({ length: 5 }, () => status(500)));
    await run();
    const { callback } = await start();
    await expect(resultOf(callback)).rejects.toMatchObject({ code: "chain-failed" });
    await shop.client.retryChain({ id: (await deliveryOf(callback)).id });
    expect(await resultOf(callback)).toEqual({ result: "delivered", status: 204 });
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([callback.id]));
  });

  it("stop at 410, and say which receiver is gone", async () => {
    receiver.replies.push(status(410));
    const told: CallbackReceiver[] = [];
    await run({ onGone: (gone) => void told.push(gone), secrets: () => (told.length > 0 ? undefined : [secret]) });
    const first = await start(false, { by: "tenant-7" });
    expect(await resultOf(first.callback)).toEqual({ result: "gone", status: 410 });
    expect(told).toEqual([{ url: receiver.url, typeName: "work", by: "tenant-7" }]);
    const second = await start();
    expect(await resultOf(second.callback)).toEqual({ result: "disabled" });
    expect(receiver.received).toHaveLength(1);
  });

  it("are signed with each secret, so that it can be changed", async () => {
    await run({ secrets: [createCallbackSecret(), secret] });
    expect(await resultOf((await start()).callback)).toEqual({ result: "delivered", status: 204 });
    expect(receiver.refused).toEqual([]);
  });

  it("can be CloudEvents", async () => {
    await run();
    const { chain, callback } = await start(false, { format: "cloudevents" });
    await resultOf(callback);
    expect(receiver.received).toMatchObject([
      {
        contentType: "application/cloudevents+json",
        event: {
          specversion: "1.0",
          id: callback.id,
          source: "chainwright",
          type: "chain.completed",
          subject: chain.id,
          data: { output: { text: "done" } },
        },
      },
    ]);
  });

  it("go nowhere but to allowed hosts and public addresses", async () => {
    await run({ allowPrivate: false });
    await expect(resultOf((await start()).callback)).rejects.toMatchObject({ code: "chain-failed" });
    expect(receiver.received).toEqual([]);
  });

  it("leave out an output that is too large", async () => {
    await run({ bodyBytes: 1_024 });
    const { client } = shop;
    const chain = await client.startChain({ typeName: "work", input: { fails: false, size: 2_000 } });
    await addCallback({ client, chain, url: receiver.url });
    await receiver.count(1);
    expect(receiver.received[0]?.event["data"]).toEqual({ chainId: chain.id, typeName: "work", isTruncated: true });
  });

  it("tell no one when the callback itself is cancelled", async () => {
    const { chain, callback } = await start();
    await shop.client.cancelChain({ id: callback.id });
    await run();
    await shop.client.awaitChain(chain);
    const following = await shop.client.getChain({ id: callback.id });
    const [follower] = following?.compensations ?? [];
    await shop.client.awaitChain({ id: follower?.id ?? "", typeName: "gateway.callback-stopped" });
    expect(receiver.received).toEqual([]);
  });

  it("go to no host whose name leads to a private address", async () => {
    const named = receiver.url.replace("127.0.0.1", "localhost");
    await run({ allowPrivate: false, hosts: [new URL(named).host] });
    const { client } = shop;
    const chain = await client.startChain({ typeName: "work", input: { fails: false } });
    const callback = { id: await addCallback({ client, chain, url: named }), typeName: "gateway.callback" as const };
    await expect(resultOf(callback)).rejects.toMatchObject({ message: expect.stringContaining("private address") });
    expect(receiver.received).toEqual([]);
  });

  it("are none of a transaction that is rolled back", async () => {
    await run();
    const { client } = shop;
    const lost = client.transaction(async (tx) => {
      const chain = await client.startChain({ tx, typeName: "work", input: { fails: false } });
      await addCallback({ client, tx, chain, url: receiver.url });
      throw new Error("no");
    });
    await expect(lost).rejects.toThrow("no");
    expect((await client.listChains({ typeName: "gateway.callback" })).items).toEqual([]);
  });

  it("tell of a chain that was retried before its failure could be told only when it has ended again", async () => {
    const { chain, callback } = await start();
    await shop.client.cancelChain({ id: chain.id });
    await shop.client.retryChain({ id: chain.id });
    await run();
    expect(await resultOf(callback)).toEqual({ result: "delivered", status: 204 });
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["chain.completed"]);
  });
});
