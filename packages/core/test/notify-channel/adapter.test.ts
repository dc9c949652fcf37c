import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import type { Hint, HintListener, HintMessage } from "../../src/ports/notify.ts";
import { createChannelNotifyAdapter } from "../../src/notify-channel/index.ts";
import { createVirtualClock } from "../../src/testing/index.ts";
import type { VirtualClock } from "../../src/testing/index.ts";
import { createBroker } from "./broker.ts";
import type { Broker } from "./broker.ts";

const hint: Hint = { kind: "ready", typeName: "a", count: 1 };
const messageOf = (...hints: readonly Hint[]): HintMessage => ({ storeId: "s", senderId: "me", hints });

function setUp(options: Parameters<typeof createBroker>[0] = {}) {
  const broker = createBroker(options);
  const clock = createVirtualClock();
  const adapter = () => createChannelNotifyAdapter({ channel: broker.channel(), clock });
  return { broker, clock, adapter };
}

function ear() {
  const heard: unknown[] = [];
  const listener: HintListener = {
    onMessage: ({ hints }) => void heard.push(...hints),
    onLost: () => void heard.push("lost"),
    onRestored: () => void heard.push("restored"),
  };
  return { heard, listener };
}

/** Lets time pass until a promise settles. */
async function during<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  const settled = Promise.allSettled([promise]).then(() => true);
  while (!(await Promise.race([settled, clock.advance(100).then(() => false)])));
  return await promise;
}

const pings = (broker: Broker) => broker.published.filter((text) => text.endsWith(" []")).length;

describe("an adapter on a channel", () => {
  it("carries hints to other adapters, and to itself even while the broker is away", async () => {
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

  it("refuses a subscription when the broker does, and takes one afterwards", async () => {
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

  it("ignores what is not of its making", async () => {
    const { broker, clock, adapter } = setUp();
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    for (const junk of ["", "junk", "cw1 s x {", 'cw0 s x ["ea"]', "\u0000", 'cw1 s someone ["eb"]']) broker.say(junk);
    await clock.advance(0);
    expect(heard).toEqual([{ kind: "ended", chainId: "b" }]);
  });

  it("ignores messages that are longer than any adapter writes, and such of its own length are heard", async () => {
    const { broker, clock, adapter } = setUp({ maxMessageLength: 100 });
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    const long = (length: number) => `cw1 s x ["e${"c".repeat(length - 13)}"]`;
    for (const text of [long(101), long(10_000_000), long(100)]) broker.say(text);
    await clock.advance(0);
    expect(heard).toEqual([{ kind: "ended", chainId: "c".repeat(87) }]);
  });

  it("hears of a version to come that it has to look, and takes it for no sign that hints arrive", async () => {
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

  it("takes no message of others for its own: where what it publishes vanishes the subscription does not open", async () => {
    const { broker, clock, adapter } = setUp();
    broker.fault = "delivers-nothing";
    const others = setInterval(() => broker.say("cw1 s other []"));
    await expect(during(clock, adapter().subscribe(ear().listener))).rejects.toMatchObject({ code: "timeout" });
    clearInterval(others);
    expect(broker.links).toBe(0);
  });

  it("tells the other listeners when one throws", async () => {
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

  it("closes what it opened, once, and refuses afterwards", async () => {
    const { broker, clock, adapter } = setUp();
    const one = adapter();
    await one.subscribe(ear().listener);
    await Promise.all([one.close(), one.close()]);
    expect([broker.links, clock.timers]).toEqual([0, 0]);
    await expect(one.publish(messageOf(hint))).rejects.toMatchObject({ code: "closed" });
    await expect(one.subscribe(ear().listener)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("the watch over a link", () => {
  it.each<[string, (broker: Broker) => void]>([
    ["the connection ends", (broker) => broker.breakLinks(new Error("ended"))],
    ["nothing arrives any more", (broker) => void (broker.fault = "delivers-nothing")],
    ["nothing can be published any more", (broker) => void (broker.fault = "refuses-to-publish")],
    ["everything hangs", (broker) => void (broker.fault = "hangs")],
  ])("notices within five seconds that %s, once, and tells when it is over", async (_what, strike) => {
    const { broker, clock, adapter } = setUp();
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    // At any moment of its rhythm, and more than once.
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

  it("costs at most one message in two seconds, however many processes are idle, and none while others speak", async () => {
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

  it("reads what has arrived before it takes a busy process for a dead link", async () => {
    const { broker, clock } = setUp();
    // A process that was busy finds its timers due before it has read what lies in its sockets.
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

  it("says that the broker did not answer, and why, when it could not be asked", async () => {
    const { broker, clock, adapter } = setUp();
    const lost = Promise.withResolvers<unknown>();
    await adapter().subscribe({ ...ear().listener, onLost: lost.resolve });
    broker.fault = "refuses-to-publish";
    await clock.advance(5_000);
    expect(await lost.promise).toMatchObject({ code: "timeout", cause: { message: "publishing refused" } });
  });

  it.each(["refuses-to-publish", "refuses"] as const)(
    "holds a link that answers for alive while nothing can be published: the broker %s",
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

  it("holds a link that answers, but on which nothing arrives, for dead", async () => {
    const { broker, clock, adapter } = setUp({ probes: true });
    const { heard, listener } = ear();
    await adapter().subscribe(listener);
    broker.fault = "delivers-nothing";
    await clock.advance(5_000);
    expect(heard).toEqual(["lost"]);
  });

  it("opens a link that answers while nothing can be published", async () => {
    const { broker, clock, adapter } = setUp({ probes: true });
    broker.fault = "refuses-to-publish";
    await during(clock, adapter().subscribe(ear().listener));
    expect(broker.links).toBe(1);
  });

  it("refuses new subscriptions while it has none, and reopens with growing pauses", async () => {
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

  it("says when the broker's client has given up for good, and does not open again", async () => {
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

  it("ends at once when closed while it is opening again", async () => {
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
