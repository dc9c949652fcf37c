import { describe, expect, it } from "vitest";
import type { ChainRecord } from "../../src/model/record.ts";
import type { Subscription } from "../../src/ports/notify.ts";
import { createRig, silence } from "../rig.ts";

const close = async (): Promise<void> => {};

/** The code of the error of a wait. */
function codeOf(error: unknown): unknown {
  return error;
}

describe("awaiting a chain", () => {
  it("ends when its signal was aborted while the subscription was being opened", async () => {
    const subscribed = Promise.withResolvers<Subscription>();
    const notifyAdapter = {
      portVersion: 1 as const,
      publish: async () => {},
      subscribe: () => subscribed.promise,
      close,
    };
    const { client, clock, start } = createRig({ notifyAdapter });
    const id = await start("a");
    const abort = new AbortController();
    const wait = client.awaitChain({ id }, { signal: abort.signal }).catch(codeOf);
    await clock.advance(0);
    abort.abort(new Error("enough"));
    subscribed.resolve({ close });
    expect(await wait).toEqual(new Error("enough"));
    expect(clock.timers).toBe(0);
  });

  it("ends when the client is closed, also while the subscription was being opened", async () => {
    const subscribed = Promise.withResolvers<Subscription>();
    const notifyAdapter = {
      portVersion: 1 as const,
      publish: async () => {},
      subscribe: () => subscribed.promise,
      close,
    };
    const { client, clock, start } = createRig({ notifyAdapter });
    const id = await start("a");
    const wait = client.awaitChain({ id }).catch(codeOf);
    await clock.advance(0);
    const closed = client.close();
    subscribed.resolve({ close });
    expect(await wait).toMatchObject({ code: "closed" });
    await closed;
    expect(clock.timers).toBe(0);
  });

  it("ends when the state adapter was closed under it", async () => {
    const { client, clock, store, start } = createRig({ between: (state) => ({ getChains: state.getChains }) });
    const id = await start("a");
    const wait = client.awaitChain({ id }).catch(codeOf);
    await clock.advance(0);
    await store.close();
    await clock.advance(5_000);
    expect(await wait).toMatchObject({ code: "closed" });
  });

  it("looks again if the chain ended while it was being looked up", async () => {
    const gate = Promise.withResolvers<void>();
    let looks = 0;
    const { client, clock, start } = createRig({
      between: (store) => ({
        async getChains(ids, options) {
          const found = await store.getChains(ids, options);
          looks += 1;
          if (looks === 1) await gate.promise;
          return found;
        },
      }),
    });
    const id = await start("a");
    const wait = client.awaitChain({ id });
    await clock.advance(0);
    await client.completeChain({ id, typeName: "a", output: 7 });
    await clock.advance(0);
    gate.resolve();
    await clock.advance(0);
    // It ended because of the hint, not because of the poll.
    expect(await wait).toMatchObject({ output: 7 });
    expect(looks).toBe(2);
  });

  it("looks again when the subscription is open, also while a look is under way", async () => {
    const subscribed = Promise.withResolvers<Subscription>();
    const notifyAdapter = {
      portVersion: 1 as const,
      publish: async () => {},
      subscribe: () => subscribed.promise,
      close,
    };
    const gate = Promise.withResolvers<void>();
    let looks = 0;
    const { client, clock, store, start } = createRig({
      notifyAdapter,
      between: (inner) => ({
        async getChains(ids, options) {
          const found = await inner.getChains(ids, options);
          looks += 1;
          if (looks === 1) await gate.promise;
          return found;
        },
      }),
    });
    const id = await start("a");
    const wait = client.awaitChain({ id });
    await clock.advance(0);
    // From elsewhere: its hint comes too early to be heard.
    await store.settle([{ kind: "completed", target: { chainId: id, typeName: "a" }, output: "7" }], {});
    subscribed.resolve({ close });
    await clock.advance(0);
    gate.resolve();
    await clock.advance(0);
    expect(await wait).toMatchObject({ output: 7 });
    expect(looks).toBe(2);
  });

  it("continues after a look without a reply, and makes no further looks meanwhile", async () => {
    let looks = 0;
    const { client, clock, start } = createRig({
      between: (store) => ({
        getChains(ids, options) {
          looks += 1;
          return looks === 1 ? silence<readonly (ChainRecord | undefined)[]>() : store.getChains(ids, options);
        },
      }),
    });
    const id = await start("a");
    const wait = client.awaitChain({ id });
    await clock.advance(29_000);
    expect(looks).toBe(1);
    await client.completeChain({ id, typeName: "a", output: 7 });
    await clock.advance(10_000);
    expect(await wait).toMatchObject({ output: 7 });
  });

  it("leaves no timer or listener behind, however often it is given up", async () => {
    const { client, clock, engine, start } = createRig();
    const id = await start("a");
    const abort = new AbortController();
    let listeners = 0;
    const signal = new Proxy(abort.signal, {
      get(target, key) {
        if (key === "addEventListener") listeners += 1;
        if (key === "removeEventListener") listeners -= 1;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    for (let round = 0; round < 10; round += 1) {
      const waits = Array.from({ length: 1_000 }, (_, index) =>
        client.awaitChain({ id }, { timeoutMs: 1 + (index % 7), signal }).catch(codeOf),
      );
      await clock.advance(10);
      for (const error of await Promise.all(waits)) expect(error).toMatchObject({ code: "await-timeout" });
    }
    expect(clock.timers).toBe(0);
    expect(listeners).toBe(0);
    await engine.lifetime.close();
  });

  describe("in a store that notes which chains are awaited", () => {
    const notifyAdapter = {
      portVersion: 1 as const,
      publish: async () => {},
      subscribe: async () => ({ close }),
      close,
    };

    it("reads and notes the chain in one call, and tries soon again while it could not be noted", async () => {
      const calls: number[] = [];
      const { client, clock, start } = createRig({
        notifyAdapter,
        between: (store) => ({
          async noteAwaited(ids, options) {
            calls.push(clock.now());
            const chains = await store.getChains(ids, options);
            return chains.map((chain) => ({ chain, isNoted: calls.length > 3 }));
          },
          getChains: () => silence(),
        }),
      });
      const id = await start("a");
      const begun = clock.now();
      const wait = client.awaitChain({ id }, { timeoutMs: 500 }).catch(codeOf);
      await clock.advance(400);
      // The first two: one at once, and one because the subscription was opened.
      expect(calls.map((at) => at - begun).slice(2)).toEqual([20, 60]);
      await clock.advance(100);
      expect(await wait).toMatchObject({ code: "await-timeout" });
      expect(clock.timers).toBe(0);
    });

    it("finds the end by looking where the store can only be read", async () => {
      const { client, clock, start, store } = createRig({
        notifyAdapter,
        between: () => ({ noteAwaited: () => Promise.reject(new Error("read-only")) }),
      });
      const id = await start("a");
      const wait = client.awaitChain({ id });
      await clock.advance(100);
      await store.settle([{ target: { chainId: id, typeName: "a" }, kind: "completed", output: "7" }], {});
      await clock.advance(1_000);
      expect((await wait)["output"]).toBe(7);
    });
  });
});
