import { describe, expect, it } from "vitest";
import { hintDelivery } from "../../src/engine/deliver-hints.ts";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import type { Hint, NotifyAdapter } from "../../src/ports/notify.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { silence } from "../rig.ts";

function ended(chainId: string): ChainwrightEvent {
  return { type: "chain-completed", jobId: chainId, chainId, typeName: "a" };
}

function broker(publish: (hints: readonly Hint[]) => Promise<void>): NotifyAdapter {
  return { publish, subscribe: () => silence(), close: async () => {} };
}

describe("hints", () => {
  it("go on after a message that was never acknowledged", async () => {
    const clock = createVirtualClock();
    const sent: number[] = [];
    const delivery = hintDelivery(
      broker((hints) => (sent.push(hints.length) === 1 ? silence() : Promise.resolve())),
      clock,
    );
    delivery.listener([ended("1")]);
    await clock.advance(0);
    delivery.listener([ended("2"), ended("3")]);
    await clock.advance(10_000);
    expect(sent).toEqual([1, 2]);
    await delivery.idle();
  });

  it("are dropped, and nothing else, by a broker that throws at once", async () => {
    const clock = createVirtualClock();
    const delivery = hintDelivery(
      broker(() => {
        throw new Error("no");
      }),
      clock,
    );
    delivery.listener([ended("1")]);
    await delivery.idle();
    delivery.listener([ended("2")]);
    await delivery.idle();
  });

  it("do not pile up while a message is under way", async () => {
    const clock = createVirtualClock();
    const sizes: number[] = [];
    const delivery = hintDelivery(
      broker((hints) => (sizes.push(hints.length) === 1 ? silence() : Promise.resolve())),
      clock,
    );
    delivery.listener([ended("0")]);
    await clock.advance(0);
    for (let round = 0; round < 100; round += 1) {
      delivery.listener(Array.from({ length: 1_000 }, (_, index) => ended(`${round} ${index}`)));
    }
    await clock.advance(10_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000);
  });
});
