import type { Hint, HintListener, HintMessage } from "../../src/ports/notify.ts";
import { createChannelNotifyAdapter } from "../../src/notify-channel/index.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/index.ts";
import { createBroker } from "./broker.ts";

export const hint: Hint = { kind: "ready", typeName: "a", count: 1 };
export const messageOf = (...hints: readonly Hint[]): HintMessage => ({ storeId: "s", senderId: "me", hints });

export function setUp(options: Parameters<typeof createBroker>[0] = {}) {
  const broker = createBroker(options);
  const clock = createVirtualClock();
  const adapter = () => createChannelNotifyAdapter({ channel: broker.channel(), clock });
  return { broker, clock, adapter };
}

export function ear() {
  const heard: unknown[] = [];
  const listener: HintListener = {
    onMessage: ({ hints }) => void heard.push(...hints),
    onLost: () => void heard.push("lost"),
    onRestored: () => void heard.push("restored"),
  };
  return { heard, listener };
}

/** Lets time pass until a promise settles. */
export async function during<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  const settled = Promise.allSettled([promise]).then(() => true);
  while (!(await Promise.race([settled, clock.advance(100).then(() => false)])));
  return await promise;
}
