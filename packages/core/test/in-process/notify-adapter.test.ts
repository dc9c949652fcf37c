import { describe, expect, it } from "vitest";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import type { HintListener, HintMessage } from "../../src/ports/notify.ts";

const message: HintMessage = { storeId: "s", senderId: "me", hints: [{ kind: "ended", chainId: "c" }] };

function listening(onMessage: HintListener["onMessage"]): HintListener {
  return { onMessage, onLost: () => {}, onRestored: () => {} };
}

describe("in-process notify adapter", () => {
  it("delivers to every subscriber, and never inside the call that publishes", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: string[] = [];
    await notify.subscribe(listening(() => heard.push("first")));
    await notify.subscribe(listening(() => heard.push("second")));
    const published = notify.publish(message);
    expect(heard).toEqual([]);
    await published;
    expect(heard).toEqual(["first", "second"]);
  });

  it("calls the other listeners when one throws", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: HintMessage[] = [];
    await notify.subscribe(
      listening(() => {
        throw new Error("a listener's fault");
      }),
    );
    await notify.subscribe(listening((received) => heard.push(received)));
    await notify.publish(message);
    expect(heard).toEqual([message]);
  });

  it("delivers nothing to a closed subscription, not even messages that were under way", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: string[] = [];
    const listener = listening(() => heard.push("heard"));
    const first = await notify.subscribe(listener);
    await notify.subscribe(listener);
    const published = notify.publish(message);
    const closed = first.close();
    await Promise.all([published, closed, first.close()]);
    expect(heard).toEqual(["heard"]);
  });

  it("rejects calls with `closed` after it was closed, once or repeatedly", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: string[] = [];
    await notify.subscribe(listening(() => heard.push("heard")));
    const published = notify.publish(message);
    await Promise.all([notify.close(), notify.close(), published]);
    expect(heard).toEqual([]);
    await expect(notify.publish(message)).rejects.toMatchObject({ code: "closed" });
    await expect(notify.subscribe(listening(() => {}))).rejects.toMatchObject({ code: "closed" });
  });
});
