import type { JobStart } from "chainwright/adapter";
import { equal, match } from "../check.ts";
import { completed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains } from "./listing.ts";

const perMs = 10_000;

/** Once in 10 seconds, and the last one too. */
function throttled(key: string, details: Partial<JobStart> = {}): JobStart {
  return job("a", { deduplication: { key, scope: "throttle", perMs }, ...details });
}

export const throttleCases = rules("throttle", {
  "the first start runs at once with its input, and of those that follow in the window only the last one, at its end":
    async (fixture) => {
      const first = await fixture.startOne(throttled("k", { input: "1" }));
      match("the first", first, { deduplicated: false });
      fixture.advance(1_000);
      const second = await fixture.startOne(throttled("k", { input: "2" }));
      match("the second", second, { deduplicated: false });
      match("due at the end of the window", second.jobs[0], { status: "scheduled", dueInMs: 9_000 });
      fixture.advance(1_000);
      const third = await fixture.startOne(throttled("k", { input: "3", priority: 4 }));
      match("the third", third, { id: second.id, deduplicated: true, input: "3" });
      match("due as before", third.replaced, { jobId: second.id, dueInMs: 8_000, isAnnounced: false });
      match("the first keeps its input", await fixture.claimOne("a"), { id: first.id, input: "1" });
      fixture.advance(7_999);
      equal("not yet", await fixture.claim(["a"]), []);
      fixture.advance(1);
      match("the last input", await fixture.claimOne("a"), { id: second.id, input: "3", priority: 4 });
      equal("two chains", (await chains(fixture)).length, 2);
    },

  "of three starts in one call the first and the last run": async (fixture) => {
    const inputs = ["1", "2", "3"];
    const started = await fixture.start(inputs.map((input) => throttled("k", { input })));
    equal(
      "begun",
      started.map(({ deduplicated }) => deduplicated),
      [false, false, true],
    );
    match("at once", await fixture.claimOne("a"), { input: "1" });
    fixture.advance(perMs);
    match("at the end", await fixture.claimOne("a"), { input: "3" });
  },

  "at the end of a window without further starts the key is free, and not a millisecond before": async (fixture) => {
    await fixture.start([throttled("k"), throttled("l")]);
    fixture.advance(perMs - 1);
    match("before", (await fixture.startOne(throttled("k"))).jobs[0], { status: "scheduled", dueInMs: 1 });
    fixture.advance(1);
    match("at the end", (await fixture.startOne(throttled("l"))).jobs[0], { status: "ready" });
  },

  "the chain at the end of a window begins the next window: starts in that are due at its end": async (fixture) => {
    const first = await fixture.startOne(throttled("k"));
    const second = await fixture.startOne(throttled("k"));
    fixture.advance(perMs);
    for (const { fence } of await fixture.claim(["a"])) await fixture.settled(completed(fence));
    const third = await fixture.startOne(throttled("k"));
    match("in the next window", third, { deduplicated: false });
    match("due at its end", third.jobs[0], { dueInMs: perMs });
    fixture.advance(2 * perMs);
    match("while it waits", await fixture.startOne(throttled("k")), { deduplicated: false });
    equal("four chains", new Set([first, second, third].map(({ id }) => id)).size + 1, (await chains(fixture)).length);
  },

  "the key is free when the chain that holds it is deleted": async (fixture) => {
    const first = await fixture.startOne(throttled("k"));
    await fixture.store.remove({ chainIds: [first.id], cascade: false }, fixture.options());
    match("at once", (await fixture.startOne(throttled("k"))).jobs[0], { status: "ready" });
  },

  "J3: a chain at the end of a window that is due but not claimed takes further starts, and one that is claimed does not":
    async (fixture) => {
      await fixture.startOne(throttled("k"));
      await fixture.claimOne("a");
      const second = await fixture.startOne(throttled("k", { input: "2" }));
      fixture.advance(perMs + 5);
      match("due", await fixture.startOne(throttled("k", { input: "3" })), { id: second.id, input: "3" });
      match("claimed", await fixture.claimOne("a"), { id: second.id, input: "3" });
      const next = await fixture.startOne(throttled("k", { input: "4" }));
      match("a chain of its own", next.jobs[0], { status: "scheduled", dueInMs: perMs - 5 });
      match("it says so", (await fixture.job(next.id)).gathers, { by: "throttle" });
    },

  "J3: a chain that was triggered and claimed before the end of the window takes no further start": async (fixture) => {
    await fixture.startOne(throttled("k"));
    await fixture.claimOne("a");
    const second = await fixture.startOne(throttled("k", { input: "2" }));
    fixture.advance(100);
    await fixture.store.trigger([second.id], fixture.options());
    match("claimed", await fixture.claimOne("a"), { id: second.id, input: "2" });
    match("a chain of its own", await fixture.startOne(throttled("k", { input: "3" })), { deduplicated: false });
    match("untouched", await fixture.job(second.id), { input: "2" });
  },
});
