import { equal, rejectsWith } from "../check.ts";
import { createEar } from "./ear.ts";
import type { Heard } from "./ear.ts";
import { ended } from "./stage.ts";
import type { NotifyGroup } from "./stage.ts";

export const subscriptionCases: NotifyGroup = {
  area: "subscription",
  needs: undefined,
  rules: {
    "one that was closed hears nothing more, and the others go on": async (stage) => {
      const publisher = await stage.connect();
      const [leaving, staying] = [createEar(), createEar()];
      const subscription = await stage.adapter.subscribe(leaving.listener);
      await stage.adapter.subscribe(staying.listener);
      await publisher.tell(ended("before"));
      await leaving.ended("before");
      await subscription.close();
      await publisher.tell(ended("after"));
      await staying.ended("after");
      equal<readonly Heard[]>("nothing after it was closed", leaving.heard, [ended("before")]);
    },

    "the same listener may subscribe twice, and leave once": async (stage) => {
      const publisher = await stage.connect();
      const ear = createEar();
      const first = await stage.adapter.subscribe(ear.listener);
      await stage.adapter.subscribe(ear.listener);
      await first.close();
      await first.close();
      await publisher.tell(ended("c"));
      await ear.ended("c");
    },

    "after the last one was closed another can be opened": async (stage) => {
      const publisher = await stage.connect();
      for (let round = 0; round < 3; round += 1) {
        const ear = createEar();
        const subscription = await stage.adapter.subscribe(ear.listener);
        await publisher.tell(ended(`c-${round}`));
        await ear.ended(`c-${round}`);
        await subscription.close();
      }
    },

    "many at once all hear": async (stage) => {
      const ears = await Promise.all(Array.from({ length: 50 }, () => stage.listen(stage.adapter)));
      await (await stage.connect()).tell(ended("c"));
      for (const ear of ears) await ear.ended("c");
    },

    "a listener that throws does not keep the others from hearing": async (stage) => {
      const deaf = createEar();
      await stage.adapter.subscribe({
        ...deaf.listener,
        onMessage() {
          throw new Error("a listener's own fault");
        },
      });
      const ear = await stage.listen(stage.adapter);
      for (const publisher of [stage.adapter, await stage.connect()]) {
        await publisher.tell(ended("c"));
        await ear.ended("c");
      }
    },
  },
};

export const closeCases: NotifyGroup = {
  area: "close",
  needs: undefined,
  rules: {
    "is idempotent, and everything is refused afterwards": async (stage) => {
      await stage.listen(stage.adapter);
      await Promise.all([stage.adapter.close(), stage.adapter.close()]);
      await stage.adapter.close();
      await rejectsWith("publish", stage.adapter.tell(ended("c")), "closed");
      await rejectsWith("publish nothing", stage.adapter.tell(), "closed");
      await rejectsWith("subscribe", stage.adapter.subscribe(createEar().listener), "closed");
    },

    "of an adapter that was never used resolves": async (stage) => {
      await stage.adapter.close();
    },

    "ends its subscriptions, which may then still be closed": async (stage) => {
      const ear = createEar();
      const subscription = await stage.adapter.subscribe(ear.listener);
      await stage.adapter.close();
      await subscription.close();
      equal<readonly Heard[]>("a subscription that was closed was not lost", ear.heard, []);
    },
  },
};

export const watchCases: NotifyGroup = {
  area: "watch",
  needs: "breakLinks",
  rules: {
    "a broken subscription is told once, opens again by itself, and hints arrive": async (stage) => {
      const publisher = await stage.connect();
      const ear = await stage.listen(stage.adapter);
      for (let round = 1; round <= 3; round += 1) {
        await stage.breakLinks();
        await ear.until(
          "told that it stands again",
          (heard) => heard.filter((each) => each === "restored").length === round,
        );
        await publisher.tell(ended(`c-${round}`));
        await ear.ended(`c-${round}`);
      }
      equal(
        "lost and restored take turns",
        ear.heard.filter((each) => typeof each === "string"),
        ["lost", "restored", "lost", "restored", "lost", "restored"],
      );
    },

    "one that breaks is told to every subscriber of the adapter": async (stage) => {
      const ears = [await stage.listen(stage.adapter), await stage.listen(stage.adapter)];
      await stage.breakLinks();
      for (const ear of ears) await ear.until("told that it stands again", (heard) => heard.includes("restored"));
      for (const ear of ears) equal<readonly Heard[]>("told once", ear.heard, ["lost", "restored"]);
    },
  },
};
