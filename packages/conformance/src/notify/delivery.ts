import type { Hint, HintMessage } from "chainwright/adapter";
import { equal, holds } from "../check.ts";
import type { Received } from "./hint-recorder.ts";
import { ended, type NotifyGroup } from "./fixture.ts";

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
  subject: "delivery",
  needs: undefined,
  rules: {
    "hints reach every subscriber, the publisher's own included": async (fixture) => {
      const others = [await fixture.connect(), await fixture.connect()];
      const recorders = [];
      for (const adapter of [fixture.adapter, ...others]) recorders.push(await fixture.listen(adapter));
      await fixture.adapter.send(ended("c"));
      for (const recorder of recorders) await recorder.ended("c");
    },

    "once a subscription resolves, all hints published from then on arrive": async (fixture) => {
      const publisher = await fixture.connect();
      for (let round = 0; round < 20; round += 1) {
        const recorder = await fixture.listen(await fixture.connect());
        await publisher.send(ended(`c-${round}`));
        await recorder.ended(`c-${round}`);
      }
    },

    "hints arrive as they were published, with any characters in their names": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const hints = awkwardNames.flatMap((name): Hint[] => [
        { kind: "ready", typeName: name, count: 1 },
        { kind: "paused", typeName: name },
        { kind: "freed", limit: name, count: 3, draw: 7 },
        { kind: "schedules" },
        { kind: "ended", chainId: name },
        { kind: "interrupt", jobId: name },
      ]);
      await (await fixture.connect()).send(...hints, ended("last"));
      await recorder.ended("last");
      equal<readonly Received[]>("as published", recorder.received, [...hints, ended("last")]);
    },

    "a message names its store and its sender": async (fixture) => {
      const received = Promise.withResolvers<HintMessage>();
      await fixture.adapter.subscribe({ onMessage: received.resolve, onLost() {}, onRestored() {} });
      const message: HintMessage = { storeId: "store-2", senderId: "sender-2", hints: [ended("c")] };
      await (await fixture.connect()).publish(message);
      const { storeId, senderId, hints } = await received.promise;
      equal("as published", { storeId, senderId, hints }, message);
    },

    "a hint that is too long for a message arrives, or a hint to look arrives in its place": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const long: Hint = { kind: "ready", typeName: "x".repeat(100_000), count: 1 };
      await (await fixture.connect()).send(ended("first"), long);
      const replacesIt = (each: Received): boolean =>
        typeof each === "object" && (each.kind === "look" || each.kind === "ready");
      await recorder.until("the hint or one to look is received", (received) => received.some(replacesIt));
      await recorder.ended("first");
    },

    "counts arrive in full": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const counts = [1, 2, 1_000_000_000_000].map((count): Hint => ({ kind: "ready", typeName: "a", count }));
      await (await fixture.connect()).send(...counts, ended("last"));
      await recorder.ended("last");
      equal<readonly Received[]>("as published", recorder.received, [...counts, ended("last")]);
    },

    "ten thousand hints in one call all arrive": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const ids = Array.from(
        { length: 10_000 },
        (_, index) => `0190c0de-0000-7000-8000-${String(index).padStart(12, "0")}`,
      );
      await (await fixture.connect()).send(...ids.map(ended));
      await recorder.until("all of them are received", (received) => received.length >= ids.length);
      equal<readonly Received[]>("each once", recorder.received, ids.map(ended));
    },

    "concurrent publishers lose nothing": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const publishers = [fixture.adapter, await fixture.connect(), await fixture.connect()];
      const ids = Array.from({ length: 300 }, (_, index) => `c-${index}`);
      await Promise.all(
        publishers.map(async (publisher, turn) => {
          const own = ids.filter((_id, index) => index % publishers.length === turn);
          await Promise.all(own.map((id) => publisher.send(ended(id))));
        }),
      );
      for (const id of ids) await recorder.ended(id);
      equal("each once", recorder.received.length, ids.length);
    },

    "publishing no hints sends no message": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      await fixture.adapter.send();
      await fixture.adapter.send(ended("c"));
      await recorder.ended("c");
      equal<readonly Received[]>("only the hint is received", recorder.received, [ended("c")]);
    },

    "publishing without a subscriber resolves": async (fixture) => {
      await fixture.adapter.send(ended("c"));
    },

    "publishing does not call a listener before it returns": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const publishing = fixture.adapter.send(ended("c"));
      holds("nothing is received yet", recorder.received.length === 0, recorder.received);
      await publishing;
      await recorder.ended("c");
    },
  },
};

export const elsewhereCases: NotifyGroup = {
  subject: "delivery",
  needs: "elsewhere",
  rules: {
    "an adapter with another prefix on the same broker receives nothing": async (fixture) => {
      const elsewhere = await fixture.elsewhere();
      const far = await fixture.listen(elsewhere);
      const near = await fixture.listen(fixture.adapter);
      await (await fixture.connect()).send(ended("here"));
      await near.ended("here");
      await elsewhere.send(ended("there"));
      await far.ended("there");
      equal<readonly Received[]>("far hears its own", far.received, [ended("there")]);
      equal<readonly Received[]>("near hears its own", near.received, [ended("here")]);
    },
  },
};

export const junkCases: NotifyGroup = {
  subject: "junk",
  needs: "say",
  rules: {
    "messages that no adapter wrote are ignored, and hints continue to arrive": async (fixture) => {
      const recorder = await fixture.listen(fixture.adapter);
      const publisher = await fixture.connect();
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
      for (const text of junk) await fixture.say(text);
      await publisher.send(ended("c"));
      await recorder.ended("c");
      equal<readonly Received[]>("only the hint is received", recorder.received, [ended("c")]);
    },
  },
};
