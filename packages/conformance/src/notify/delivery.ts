import type { Hint, HintMessage } from "chainwright/adapter";
import { equal, holds } from "../check.ts";
import type { Heard } from "./ear.ts";
import { ended } from "./stage.ts";
import type { NotifyGroup } from "./stage.ts";

const awkwardNames = [
  "a b",
  " ",
  '"',
  "\\",
  "\n",
  "\u0000",
  "é",
  "😀",
  "\ud800",
  "__proto__",
  "*",
  ">",
  "a.b:c",
  "'; --",
];

export const deliveryCases: NotifyGroup = {
  area: "delivery",
  needs: undefined,
  rules: {
    "hints reach every subscriber, the publisher's own included": async (stage) => {
      const others = [await stage.connect(), await stage.connect()];
      const ears = [];
      for (const adapter of [stage.adapter, ...others]) ears.push(await stage.listen(adapter));
      await stage.adapter.tell(ended("c"));
      for (const ear of ears) await ear.ended("c");
    },

    "once a subscription resolves, what is published from then on arrives": async (stage) => {
      const publisher = await stage.connect();
      for (let round = 0; round < 20; round += 1) {
        const ear = await stage.listen(await stage.connect());
        await publisher.tell(ended(`c-${round}`));
        await ear.ended(`c-${round}`);
      }
    },

    "hints arrive as they were published, whatever their names hold": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const hints = awkwardNames.flatMap((name): Hint[] => [
        { kind: "ready", typeName: name, count: 1 },
        { kind: "ended", chainId: name },
        { kind: "interrupt", jobId: name },
      ]);
      await (await stage.connect()).tell(...hints, ended("last"));
      await ear.ended("last");
      equal<readonly Heard[]>("as published", ear.heard, [...hints, ended("last")]);
    },

    "a message names its store and its sender": async (stage) => {
      const heard = Promise.withResolvers<HintMessage>();
      await stage.adapter.subscribe({ onMessage: heard.resolve, onLost() {}, onRestored() {} });
      const message: HintMessage = { storeId: "store-2", senderId: "sender-2", hints: [ended("c")] };
      await (await stage.connect()).publish(message);
      const { storeId, senderId, hints } = await heard.promise;
      equal("as published", { storeId, senderId, hints }, message);
    },

    "a hint that is too long for a message arrives, or one to look arrives in its place": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const long: Hint = { kind: "ready", typeName: "x".repeat(100_000), count: 1 };
      await (await stage.connect()).tell(ended("first"), long);
      const isMadeGood = (each: Heard): boolean =>
        typeof each === "object" && (each.kind === "look" || each.kind === "ready");
      await ear.until("it is made good", (heard) => heard.some(isMadeGood));
      await ear.ended("first");
    },

    "counts arrive in full": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const counts = [1, 2, 1_000_000_000_000].map((count): Hint => ({ kind: "ready", typeName: "a", count }));
      await (await stage.connect()).tell(...counts, ended("last"));
      await ear.ended("last");
      equal<readonly Heard[]>("as published", ear.heard, [...counts, ended("last")]);
    },

    "ten thousand hints in one call all arrive": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const ids = Array.from(
        { length: 10_000 },
        (_, index) => `0190c0de-0000-7000-8000-${String(index).padStart(12, "0")}`,
      );
      await (await stage.connect()).tell(...ids.map(ended));
      await ear.until("all of them are heard", (heard) => heard.length >= ids.length);
      equal<readonly Heard[]>("each once", ear.heard, ids.map(ended));
    },

    "concurrent publishers lose nothing": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const publishers = [stage.adapter, await stage.connect(), await stage.connect()];
      const ids = Array.from({ length: 300 }, (_, index) => `c-${index}`);
      await Promise.all(
        publishers.map(async (publisher, turn) => {
          const own = ids.filter((_id, index) => index % publishers.length === turn);
          await Promise.all(own.map((id) => publisher.tell(ended(id))));
        }),
      );
      for (const id of ids) await ear.ended(id);
      equal("each once", ear.heard.length, ids.length);
    },

    "no hints are no message": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      await stage.adapter.tell();
      await stage.adapter.tell(ended("c"));
      await ear.ended("c");
      equal<readonly Heard[]>("only the hint is heard", ear.heard, [ended("c")]);
    },

    "publishing without a subscriber resolves": async (stage) => {
      await stage.adapter.tell(ended("c"));
    },

    "publishing does not call a listener before it returns": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const publishing = stage.adapter.tell(ended("c"));
      holds("nothing is heard yet", ear.heard.length === 0, ear.heard);
      await publishing;
      await ear.ended("c");
    },
  },
};

export const elsewhereCases: NotifyGroup = {
  area: "delivery",
  needs: "elsewhere",
  rules: {
    "another prefix on the same broker hears nothing": async (stage) => {
      const elsewhere = await stage.elsewhere();
      const far = await stage.listen(elsewhere);
      const near = await stage.listen(stage.adapter);
      await (await stage.connect()).tell(ended("here"));
      await near.ended("here");
      await elsewhere.tell(ended("there"));
      await far.ended("there");
      equal<readonly Heard[]>("far hears its own", far.heard, [ended("there")]);
      equal<readonly Heard[]>("near hears its own", near.heard, [ended("here")]);
    },
  },
};

export const junkCases: NotifyGroup = {
  area: "junk",
  needs: "say",
  rules: {
    "what no adapter wrote is ignored, and hints go on arriving": async (stage) => {
      const ear = await stage.listen(stage.adapter);
      const publisher = await stage.connect();
      const junk = [
        "junk",
        "{}",
        "[]",
        "null",
        "[1,2",
        '{"kind":"ended","chainId":"x"}',
        "cw1",
        "cw1 x",
        "cw1 x {",
        "cw1 store-1 x {",
        "cw0 store-1 x []",
        `cw1 store-1 ${"x".repeat(5_000)} []`,
        "x".repeat(5_000),
      ];
      for (const text of junk) await stage.say(text);
      await publisher.tell(ended("c"));
      await ear.ended("c");
      equal<readonly Heard[]>("only the hint is heard", ear.heard, [ended("c")]);
    },
  },
};
