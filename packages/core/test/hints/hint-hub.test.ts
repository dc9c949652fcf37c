import { expect, it } from "vitest";
import { createHintHub } from "../../src/hints/hint-hub.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import type { Hint } from "../../src/ports/notify.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

const hint: Hint = { kind: "taken", workerId: "w", typeName: "a", count: 1 };

it("a hint arrives once in its own process and once in another one although the broker returns it", async () => {
  const clock = createVirtualClock();
  const notify = createInProcessNotifyAdapter();
  const open = () => {
    const heard: Hint[] = [];
    const hub = createHintHub({ clock, notify, storeId: async () => "s", record: () => {} });
    hub.listen({ onHints: (hints) => void heard.push(...hints), onLook() {}, onMeeting() {} });
    return { heard, hub };
  };
  const [own, other] = [open(), open()];
  await clock.advance(0);
  own.hub.send([hint]);
  await clock.advance(0);
  expect([own.heard, other.heard]).toEqual([[hint], [hint]]);
  for (const { hub } of [own, other]) await hub.close();
});
