import { describe, expect, it } from "vitest";
import { createChannelNotifyAdapter } from "../../src/notify-channel/index.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Broker } from "./broker.ts";
import { during, ear, hint, messageOf, setUp } from "./set-up.ts";

const pings = (broker: Broker) => broker.published.filter((text) => text.endsWith(" []")).length;

describe("a watched link", () => {
  it.each<[string, (broker: Broker) => void]>([
    ["the connection ends", (broker) => broker.breakLinks(new Error("ended"))],
    ["nothing arrives any more", (broker) => void (broker.fault = "delivers-nothing")],
    ["nothing can be published any more", (broker) => void (broker.fault = "refuses-to-publish")],
    ["everything hangs", (broker) => void (broker.fault = "hangs")],
  ])("reports within five seconds that %s, once, and reports when the link is restored", async (_what, strike) => {
    const { broker, clock, adapter } = setUp();
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    // At different times between two heartbeats, and more than once.
    for (let round = 1; round <= 5; round += 1) {
      await clock.advance(round * 700);
      strike(broker);
      await clock.advance(5_000);
      expect(heard[0]).toBe("lost");
      await clock.advance(60_000);
      broker.fault = "none";
      await clock.advance(5_000);
      expect(heard.splice(0)).toEqual(["lost", "restored"]);
      expect(broker.links).toBe(1);
    }
  });

  it("costs at most one message in two seconds, however many processes are idle, and none while messages of others arrive", async () => {
    const { broker, clock, adapter } = setUp();
    const adapters = Array.from({ length: 20 }, adapter);
    for (const each of adapters) await each.subscribe(ear().listener);
    const before = pings(broker);
    await clock.advance(600_000);
    expect(pings(broker) - before).toBeGreaterThan(200);
    expect(pings(broker) - before).toBeLessThanOrEqual(300);

    const quiet = pings(broker);
    for (let second = 0; second < 60; second += 1) {
      await adapters[0]?.publish(messageOf(hint));
      await clock.advance(1_000);
    }
    expect(pings(broker) - quiet).toBe(0);
  });

  it("reads what has arrived before it reports the link as lost in a busy process", async () => {
    const { broker, clock } = setUp();
    // A process that was busy finds its timers due before it has read what has arrived at its sockets.
    const held: (() => void)[] = [];
    const busy: Clock = {
      ...clock,
      now: clock.now,
      setTimer: (callback, delayMs) =>
        clock.setTimer(() => {
          for (const arrive of held.splice(0)) setImmediate(arrive);
          callback();
        }, delayMs),
    };
    const { heard, listener } = ear();
    const channel = broker.channel();
    const adapter = createChannelNotifyAdapter({
      clock: busy,
      channel: {
        ...channel,
        open: (to, signal) => channel.open({ ...to, onMessage: (text) => held.push(() => to.onMessage(text)) }, signal),
      },
    });
    await during(clock, adapter.subscribe(listener));
    await clock.advance(60_000);
    expect(heard).toEqual([]);
  });

  it("reports a timeout, with its cause, when the broker cannot be asked", async () => {
    const { broker, clock, adapter } = setUp();
    const lost = Promise.withResolvers<unknown>();
    await adapter().subscribe({ ...ear().listener, onLost: lost.resolve });
    broker.fault = "refuses-to-publish";
    await clock.advance(5_000);
    expect(await lost.promise).toMatchObject({ code: "timeout", cause: { message: "publishing refused" } });
  });

  it.each(["refuses-to-publish", "refuses"] as const)(
    "keeps a link whose probe resolves while nothing can be published: the broker %s",
    async (fault) => {
      const { broker, clock, adapter } = setUp({ probes: true });
      const { heard, listener } = ear();
      const [one, other] = [adapter(), adapter()];
      await one.subscribe(listener);
      broker.fault = fault;
      await clock.advance(600_000);
      expect(heard).toEqual([]);
      broker.fault = "none";
      await other.publish(messageOf(hint));
      await clock.advance(0);
      expect(heard).toEqual([hint]);
    },
  );

  it("reports a link as lost when its probe resolves but no message arrives", async () => {
    const { broker, clock, adapter } = setUp({ probes: true });
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    broker.fault = "delivers-nothing";
    await clock.advance(5_000);
    expect(heard).toEqual(["lost"]);
  });

  it("opens a link whose probe resolves while nothing can be published", async () => {
    const { broker, clock, adapter } = setUp({ probes: true });
    broker.fault = "refuses-to-publish";
    await during(clock, adapter().subscribe(ear().listener));
    expect(broker.links).toBe(1);
  });

  it("refuses new subscriptions while the link is lost, and reopens it with growing pauses", async () => {
    const { broker, clock, adapter } = setUp();
    const one = adapter();
    await one.subscribe(ear().listener);
    broker.fault = "refuses";
    broker.breakLinks(new Error("ended"));
    await clock.advance(1_000);
    await expect(one.subscribe(ear().listener)).rejects.toThrow("being opened again");
    const before = broker.opened;
    await clock.advance(60_000);
    expect(broker.opened - before).toBeGreaterThanOrEqual(25);
    expect(broker.opened - before).toBeLessThanOrEqual(40);
    broker.fault = "none";
    await clock.advance(2_500);
    await one.subscribe(ear().listener);
    expect(broker.links).toBe(1);
  });

  it("reports that the broker's client has given up for good, and does not reopen the link", async () => {
    const { broker, clock, adapter } = setUp();
    const lost: unknown[] = [];
    const one = adapter();
    await one.subscribe({ ...ear().listener, onLost: (error) => void lost.push(error) });
    broker.fault = "gone";
    broker.breakLinks(new Error("ended"));
    await clock.advance(60_000);
    expect(lost).toMatchObject([{ message: "ended" }, { code: "closed" }]);
    expect([broker.opened, clock.timers]).toEqual([2, 0]);
    await expect(one.subscribe(ear().listener)).rejects.toMatchObject({ code: "closed" });
    await one.close();
  });

  it("ends at once when it is closed while it reopens", async () => {
    const { broker, clock, adapter } = setUp();
    const one = adapter();
    await one.subscribe(ear().listener);
    for (const fault of ["refuses", "hangs"] as const) {
      broker.fault = fault;
      broker.breakLinks(new Error("ended"));
      await clock.advance(10_000);
    }
    await one.close();
    expect([broker.links, clock.timers]).toEqual([0, 0]);
    broker.fault = "none";
    await clock.advance(60_000);
    expect(broker.links).toBe(0);
  });
});
