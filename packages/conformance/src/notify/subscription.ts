import { equal, rejectsWith } from "../check.ts";
import { createHintRecorder, type Received } from "./hint-recorder.ts";
import { ended, type NotifyGroup } from "./fixture.ts";

export const subscriptionCases: NotifyGroup = {
  subject: "subscription",
  needs: undefined,
  rules: {
    "one that was closed receives nothing more, and the others continue": async (fixture) => {
      const publisher = await fixture.connect();
      const [leaving, staying] = [createHintRecorder(), createHintRecorder()];
      const subscription = await fixture.adapter.subscribe(leaving.listener);
      await fixture.adapter.subscribe(staying.listener);
      await publisher.send(ended("before"));
      await leaving.ended("before");
      await subscription.close();
      await publisher.send(ended("after"));
      await staying.ended("after");
      equal<readonly Received[]>("nothing after it was closed", leaving.received, [ended("before")]);
    },

    "the same listener may subscribe twice, and leave once": async (fixture) => {
      const publisher = await fixture.connect();
      const recorder = createHintRecorder();
      const first = await fixture.adapter.subscribe(recorder.listener);
      await fixture.adapter.subscribe(recorder.listener);
      await first.close();
      await first.close();
      await publisher.send(ended("c"));
      await recorder.ended("c");
    },

    "after the last one was closed another can be opened": async (fixture) => {
      const publisher = await fixture.connect();
      for (let round = 0; round < 3; round += 1) {
        const recorder = createHintRecorder();
        const subscription = await fixture.adapter.subscribe(recorder.listener);
        await publisher.send(ended(`c-${round}`));
        await recorder.ended(`c-${round}`);
        await subscription.close();
      }
    },

    "many at once all receive a hint": async (fixture) => {
      const recorders = await Promise.all(Array.from({ length: 50 }, () => fixture.listen(fixture.adapter)));
      await (await fixture.connect()).send(ended("c"));
      for (const recorder of recorders) await recorder.ended("c");
    },

    "a listener that throws does not keep the others from receiving hints": async (fixture) => {
      const deaf = createHintRecorder();
      await fixture.adapter.subscribe({
        ...deaf.listener,
        onMessage() {
          throw new Error("a listener's own fault");
        },
      });
      const recorder = await fixture.listen(fixture.adapter);
      for (const publisher of [fixture.adapter, await fixture.connect()]) {
        await publisher.send(ended("c"));
        await recorder.ended("c");
      }
    },
  },
};

export const closeCases: NotifyGroup = {
  subject: "close",
  needs: undefined,
  rules: {
    "is idempotent, and everything is refused afterwards": async (fixture) => {
      await fixture.listen(fixture.adapter);
      await Promise.all([fixture.adapter.close(), fixture.adapter.close()]);
      await fixture.adapter.close();
      await rejectsWith("publish", fixture.adapter.send(ended("c")), "closed");
      await rejectsWith("publish nothing", fixture.adapter.send(), "closed");
      await rejectsWith("subscribe", fixture.adapter.subscribe(createHintRecorder().listener), "closed");
    },

    "of an adapter that was never used resolves": async (fixture) => {
      await fixture.adapter.close();
    },

    "ends its subscriptions, which may then still be closed": async (fixture) => {
      const recorder = createHintRecorder();
      const subscription = await fixture.adapter.subscribe(recorder.listener);
      await fixture.adapter.close();
      await subscription.close();
      equal<readonly Received[]>("a subscription that was closed was not lost", recorder.received, []);
    },
  },
};

export const watchCases: NotifyGroup = {
  subject: "watch",
  needs: "breakLinks",
  rules: {
    "a broken subscription is reported once, opens again by itself, and receives hints": async (fixture) => {
      const publisher = await fixture.connect();
      const recorder = await fixture.listen(fixture.adapter);
      for (let round = 1; round <= 3; round += 1) {
        await fixture.breakLinks();
        await recorder.until(
          "the restoration is reported",
          (received) => received.filter((each) => each === "restored").length === round,
        );
        await publisher.send(ended(`c-${round}`));
        await recorder.ended(`c-${round}`);
      }
      equal(
        "lost and restored take turns",
        recorder.received.filter((each) => typeof each === "string"),
        ["lost", "restored", "lost", "restored", "lost", "restored"],
      );
    },

    "a broken subscription is reported to every subscriber of the adapter": async (fixture) => {
      const recorders = [await fixture.listen(fixture.adapter), await fixture.listen(fixture.adapter)];
      await fixture.breakLinks();
      for (const recorder of recorders)
        await recorder.until("the restoration is reported", (received) => received.includes("restored"));
      for (const recorder of recorders)
        equal<readonly Received[]>("each is reported once", recorder.received, ["lost", "restored"]);
    },
  },
};
