import { describe, expect, it } from "vitest";
import { createHintDelivery, type DeliveryOptions } from "../../src/hints/deliver-hints.ts";
import { hintsOf, type AnnouncedEnds } from "../../src/hints/hints-of-events.ts";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import type { Hint } from "../../src/ports/notify.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { silence } from "../rig.ts";

const look: Hint = { kind: "look" };
const job = (id: string) => ({ jobId: id, chainId: id, typeName: "a" });
const ended = (chainId: string): Hint => ({ kind: "ended", chainId });

/** A broker that accepts every message except those that a test makes it refuse, and what the delivery reported. */
function setUp(options: Partial<DeliveryOptions> = {}) {
  const clock = createVirtualClock();
  const broker: { publish: (hints: readonly Hint[]) => Promise<void> } = { publish: async () => {} };
  const sent: (readonly Hint[])[] = [];
  const reported: string[] = [];
  const delivery = createHintDelivery({
    clock,
    publish: async (hints) => {
      await broker.publish(hints);
      sent.push(hints);
    },
    onSent: () => void reported.push("sent"),
    onFailed: (error) => void reported.push(error instanceof Error ? error.message : String(error)),
    keepsTrying: () => true,
    ...options,
  });
  return { clock, broker, sent, reported, delivery };
}

describe("hints to other processes", () => {
  it("continue after a message without an acknowledgement, and the next message makes up for it", async () => {
    const { clock, broker, sent, delivery } = setUp();
    broker.publish = () => silence();
    delivery.send([ended("1")]);
    await clock.advance(0);
    broker.publish = async () => {};
    delivery.send([ended("2"), ended("3")]);
    await clock.advance(11_000);
    expect(sent).toEqual([[look, ended("2"), ended("3")]]);
    await delivery.idle();
  });

  it("that a broker refuses are reported, and the next message that succeeds asks other processes to look", async () => {
    const { broker, sent, reported, delivery } = setUp({ keepsTrying: () => false });
    broker.publish = () => {
      throw new Error("no");
    };
    delivery.send([ended("1")]);
    await delivery.idle();
    delivery.send([ended("2")]);
    await delivery.idle();
    expect([reported, sent]).toEqual([["no", "no"], []]);
    broker.publish = async () => {};
    delivery.send([ended("3")]);
    await delivery.idle();
    delivery.send([ended("4")]);
    await delivery.idle();
    expect(sent).toEqual([[look, ended("3")], [ended("4")]]);
    expect(reported).toEqual(["no", "no", "sent", "sent"]);
  });

  it("are tried again while the process has listeners, with growing pauses, until the delivery is closed", async () => {
    const { clock, broker, sent, reported, delivery } = setUp();
    broker.publish = () => Promise.reject(new Error("no"));
    delivery.send([ended("1")]);
    await clock.advance(60_000);
    expect(reported.length).toBeGreaterThan(25);
    expect(reported.length).toBeLessThan(50);
    broker.publish = async () => {};
    await clock.advance(2_500);
    expect(sent).toEqual([[look]]);
    broker.publish = () => Promise.reject(new Error("no"));
    delivery.send([ended("1")]);
    await clock.advance(0);
    delivery.close();
    expect(clock.timers).toBe(0);
  });

  it("leave no timer behind in a process that only starts jobs", async () => {
    const { clock, broker, delivery } = setUp({ keepsTrying: () => false });
    broker.publish = () => Promise.reject(new Error("no"));
    delivery.send([ended("1")]);
    await clock.advance(0);
    expect(clock.timers).toBe(0);
  });

  it("are limited in number while a message is under way; hints about ready jobs are never dropped", async () => {
    const { clock, broker, sent, delivery } = setUp();
    const free = Promise.withResolvers<void>();
    broker.publish = () => free.promise;
    delivery.send([ended("0")]);
    await clock.advance(0);
    const work: readonly Hint[] = [
      { kind: "ready", typeName: "a", count: 1, draw: 1 },
      { kind: "taken", workerId: "w", typeName: "a", count: 1 },
      { kind: "left", workerId: "v" },
    ];
    delivery.send(work);
    for (let round = 0; round < 100; round += 1) {
      delivery.send(Array.from({ length: 1_000 }, (_, index) => ended(`${round} ${index}`)));
      delivery.send(
        Array.from({ length: 10 }, (_, index): Hint => ({ kind: "interrupt", jobId: `${round} ${index}` })),
      );
    }
    free.resolve();
    await clock.advance(0);
    const [, hints = []] = sent;
    expect(hints.slice(0, 4)).toEqual([...work, look]);
    // Those about ended chains are dropped first.
    expect(hints.slice(4).map(({ kind }) => kind)).toEqual(Array.from({ length: 1_000 }, () => "interrupt"));
  });

  it("of one commit are limited in number, and include those about ready jobs", async () => {
    const { sent, delivery } = setUp();
    const events: ChainwrightEvent[] = [
      { type: "job-started", cause: "start", ...job("1"), status: "ready", dueInMs: undefined },
      ...Array.from({ length: 30_000 }, (_, index): ChainwrightEvent => {
        return { type: "chain-cancelled", ...job(`c-${index}`), interrupted: "w" };
      }),
    ];
    delivery.send(hintsOf(events, { announcedEnds: "all", limitsOf: () => [] }));
    await delivery.idle();
    expect(sent).toEqual([[{ kind: "ready", typeName: "a", count: 1, draw: expect.any(Number) }, look]]);
  });
});

describe("jobs that are due later", () => {
  let started = 0;
  const dueIn = (dueInMs: number): ChainwrightEvent => {
    started += 1;
    return { type: "job-started", cause: "start", ...job(`${started}`), status: "scheduled", dueInMs };
  };

  it("have one hint for each moment at which some are due; of many moments, neighbours become one", () => {
    const moments = Array.from({ length: 200 }, (_, index) => dueIn(100 + index));
    expect(hintsOf([...moments, dueIn(100)], { announcedEnds: "all", limitsOf: () => [] })).toHaveLength(200);
    expect(hintsOf([...moments, dueIn(100)], { announcedEnds: "all", limitsOf: () => [] })[0]).toMatchObject({
      count: 2,
      dueInMs: 100,
    });
    const merged = hintsOf([...moments, dueIn(99)], { announcedEnds: "all", limitsOf: () => [] });
    expect(merged).toHaveLength(101);
    expect(merged[0]).toMatchObject({ count: 2, dueInMs: 99 });
    expect(merged.at(-1)).toMatchObject({ count: 1, dueInMs: 299 });
  });
});

it("the end of a chain is announced only if it is awaited, where the store knows that", () => {
  const events: ChainwrightEvent[] = (["chain-completed", "chain-failed", "chain-cancelled"] as const).flatMap(
    (type) => [
      { type, ...job(`${type} 1`), interrupted: undefined },
      { type, ...job(`${type} 2`), interrupted: undefined, awaited: true },
    ],
  );
  const chains = (announced: AnnouncedEnds) =>
    hintsOf(events, { announcedEnds: announced, limitsOf: () => [] }).flatMap((hint) =>
      hint.kind === "ended" ? [hint.chainId] : [],
    );
  expect(chains("awaited")).toEqual(["chain-completed 2", "chain-failed 2", "chain-cancelled 2"]);
  expect(chains("all")).toHaveLength(6);
  expect(chains(new Set(["chain-failed 1"])), "awaited in this process, where hints reach no other").toEqual([
    "chain-failed 1",
  ]);
});

describe("a chain that was cancelled", () => {
  it("interrupts only a step that was running", () => {
    const events: ChainwrightEvent[] = [
      { type: "chain-cancelled", ...job("1"), interrupted: undefined },
      { type: "chain-cancelled", ...job("2"), interrupted: "w" },
    ];
    expect(hintsOf(events, { announcedEnds: "all", limitsOf: () => [] })).toEqual([
      ended("1"),
      ended("2"),
      { kind: "interrupt", jobId: "2" },
    ]);
  });
});
