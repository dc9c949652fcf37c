import { describe, expect, it } from "vitest";
import type { Hint } from "../../src/ports/notify.ts";
import { during, ear, hint, messageOf, setUp } from "./set-up.ts";

describe("an adapter on a channel", () => {
  it("delivers hints to other adapters, and to its own listeners even while the broker is away", async () => {
    const { broker, clock, adapter } = setUp();
    const [mine, other] = [ear(), ear()];
    const sender = adapter();
    await sender.subscribe(mine.listener);
    await adapter().subscribe(other.listener);
    await sender.publish(messageOf(hint));
    await clock.advance(0);
    expect(mine.heard).toEqual([hint]);
    expect(other.heard).toEqual([hint]);

    broker.fault = "refuses-to-publish";
    await expect(sender.publish(messageOf(hint))).rejects.toThrow("publishing refused");
    expect(mine.heard).toEqual([hint, hint]);
    expect(other.heard).toEqual([hint]);
  });

  it("sends one message for many hints, and none for no hints", async () => {
    const { broker, adapter } = setUp();
    const sender = adapter();
    await sender.publish(
      messageOf(...Array.from({ length: 50 }, (_, index): Hint => ({ kind: "ended", chainId: `c-${index}` }))),
    );
    await sender.publish(messageOf());
    expect(broker.published).toHaveLength(1);
  });

  it("opens one link for many subscriptions, closes it with the last, and opens another for the next", async () => {
    const { broker, adapter } = setUp();
    const one = adapter();
    const subscriptions = await Promise.all(Array.from({ length: 20 }, () => one.subscribe(ear().listener)));
    expect(broker.opened).toBe(1);
    const [first, ...others] = subscriptions;
    for (const subscription of others) await subscription.close();
    await others[0]?.close();
    expect(broker.links).toBe(1);
    await first?.close();
    expect(broker.links).toBe(0);
    await one.subscribe(ear().listener);
    expect([broker.links, broker.opened]).toEqual([1, 2]);
  });

  it("refuses a subscription while the broker refuses connections, and accepts one afterwards", async () => {
    const { broker, adapter } = setUp();
    const one = adapter();
    broker.fault = "refuses";
    await expect(one.subscribe(ear().listener)).rejects.toThrow("connection refused");
    broker.fault = "none";
    await one.subscribe(ear().listener);
    expect(broker.links).toBe(1);
  });

  it.each(["hangs", "delivers-nothing", "refuses-to-publish"] as const)(
    "refuses a subscription within five seconds when the broker %s, and leaves no link open",
    async (fault) => {
      const { broker, clock, adapter } = setUp();
      broker.fault = fault;
      const startedAt = clock.now();
      await expect(during(clock, adapter().subscribe(ear().listener))).rejects.toMatchObject({ code: "timeout" });
      expect(clock.now() - startedAt).toBeLessThan(5_000);
      expect(broker.links).toBe(0);
    },
  );

  it("gives up publishing after two seconds when the broker hangs", async () => {
    const { broker, clock, adapter } = setUp();
    broker.fault = "hangs";
    const startedAt = clock.now();
    await expect(during(clock, adapter().publish(messageOf(hint)))).rejects.toMatchObject({ code: "timeout" });
    expect(clock.now() - startedAt).toBe(2_000);
  });

  it("ignores messages that no adapter wrote", async () => {
    const { broker, clock, adapter } = setUp();
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    for (const junk of ["", "junk", "cw1 s x {", 'cw0 s x ["ea"]', "\u0000", 'cw1 s someone ["eb"]']) broker.say(junk);
    await clock.advance(0);
    expect(heard).toEqual([{ kind: "ended", chainId: "b" }]);
  });

  it("ignores messages longer than its limit, and reads those that are exactly as long", async () => {
    const { broker, clock, adapter } = setUp({ maxMessageLength: 100 });
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    const long = (length: number) => `cw1 s x ["e${"c".repeat(length - 13)}"]`;
    for (const text of [long(101), long(10_000_000), long(100)]) broker.say(text);
    await clock.advance(0);
    expect(heard).toEqual([{ kind: "ended", chainId: "c".repeat(87) }]);
  });

  it("reads a message of a newer version as a hint to look, but not as proof that hints arrive", async () => {
    const { broker, clock, adapter } = setUp();
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    broker.say('cw2 s x ["e1"]');
    await clock.advance(0);
    expect(heard.splice(0)).toEqual([{ kind: "look" }]);
    broker.fault = "delivers-nothing";
    for (let turn = 0; turn < 50; turn += 1) {
      broker.say("cw2 s x []");
      await clock.advance(100);
    }
    expect(heard).toContain("lost");
  });

  it("does not open a subscription when its own messages do not come back, even if messages of others arrive", async () => {
    const { broker, clock, adapter } = setUp();
    broker.fault = "delivers-nothing";
    const others = setInterval(() => broker.say("cw1 s other []"));
    await expect(during(clock, adapter().subscribe(ear().listener))).rejects.toMatchObject({ code: "timeout" });
    clearInterval(others);
    expect(broker.links).toBe(0);
  });

  it("calls the other listeners when one throws", async () => {
    const { adapter } = setUp();
    const one = adapter();
    const { heard, listener } = ear();
    await one.subscribe({
      ...listener,
      onMessage: () => {
        throw new Error("mine");
      },
    });
    await one.subscribe(listener);
    await one.publish(messageOf(hint));
    expect(heard).toEqual([hint]);
  });

  it("is closed by await using", async () => {
    const { broker, adapter } = setUp();
    const one = adapter();
    await one.subscribe(ear().listener);
    expect(broker.links).toBe(1);
    await one[Symbol.asyncDispose]();
    expect(broker.links).toBe(0);
  });

  it("closes its links once, and refuses calls afterwards", async () => {
    const { broker, clock, adapter } = setUp();
    const one = adapter();
    await one.subscribe(ear().listener);
    await Promise.all([one.close(), one.close()]);
    expect([broker.links, clock.timers]).toEqual([0, 0]);
    await expect(one.publish(messageOf(hint))).rejects.toMatchObject({ code: "closed" });
    await expect(one.subscribe(ear().listener)).rejects.toMatchObject({ code: "closed" });
  });
});
