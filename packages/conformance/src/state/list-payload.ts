import { equal, only } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { byId, chains, idsOf, jobs } from "./listing.ts";

/** `"` and `語` have to be counted as bytes of UTF-8, not as characters. */
const wide = JSON.stringify("語".repeat(100));
const wideBytes = 302;

export const listPayloadCases = rules("list", {
  "a list leaves out payloads above the limit and says how many bytes they have": async (fixture) => {
    const small = await fixture.startOne(job("a", { input: '"small"' }));
    const large = await fixture.startOne(job("b", { input: wide }));
    await fixture.settled(completed({ chainId: large.id, typeName: "b" }, wide));
    const most = { mostPayloadBytes: wideBytes - 1 };
    for (const listed of [await chains(fixture, most), await jobs(fixture, most)]) {
      equal("all are listed", idsOf(listed), byId([small.id, large.id]));
      const [first, second] = [small, large].map(({ id }) => listed.find((each) => each.id === id));
      equal("a small one", [first?.input, first?.output, first?.omitted], ['"small"', undefined, undefined]);
      equal("a large one", [second?.input, second?.output], ["", ""]);
      equal("sizes", [second?.omitted?.input, second?.omitted?.output], [wideBytes, wideBytes]);
    }
    equal("one by one", [(await fixture.chain(large.id)).input, (await fixture.job(large.id)).output], [wide, wide]);
  },

  "a payload of exactly the limit is in a list, and with 0 none is": async (fixture) => {
    await fixture.startOne(job("a", { input: wide }));
    const whole = only("whole", await jobs(fixture, { mostPayloadBytes: wideBytes }));
    equal("the input", [whole.input, whole.omitted], [wide, undefined]);
    const none = only("none", await jobs(fixture, { mostPayloadBytes: 0 }));
    equal("nothing", [none.input, none.omitted?.input, none.omitted?.output], ["", wideBytes, undefined]);
  },

  "an output above the limit leaves its input where it is, and errors are never left out": async (fixture) => {
    const chain = await fixture.startOne(job("a", { input: "1" }));
    await fixture.settled(completed({ chainId: chain.id, typeName: "a" }, wide));
    const listed = only("listed", await chains(fixture, { mostPayloadBytes: 10 }));
    equal("payloads", [listed.input, listed.output, listed.omitted?.input], ["1", "", undefined]);
    await fixture.startOne(job("b", { input: wide }));
    const errors = JSON.stringify([{ attempt: 1, at: 1, workerId: "w", name: "Error", message: "no ".repeat(100) }]);
    await fixture.settled(failed((await fixture.claimOne("b")).fence, errors));
    const broken = only("failed", await jobs(fixture, { statuses: ["failed"], mostPayloadBytes: 10 }));
    equal("errors", [broken.input, broken.errors], ["", errors]);
  },

  "scheduled jobs and blockers are listed without large payloads": async (fixture) => {
    await fixture.startOne(job("a", { input: wide, schedule: { afterMs: 1_000 } }));
    const query = { typeNames: undefined, after: undefined, limit: 10, mostPayloadBytes: 10 };
    const due = only("due", await fixture.store.listDue(query, fixture.options()));
    equal("due", [due.input, due.omitted?.input], ["", wideBytes]);
    const blocker = await fixture.startOne(job("b", { input: wide }));
    const blocked = await fixture.startOne(job("c", { blockers: [blockedBy(blocker.id)] }));
    const blockers = { jobId: blocked.id, afterPosition: undefined, limit: 10, mostPayloadBytes: 10 };
    const found = only("blocker", await fixture.store.listBlockers(blockers, fixture.options()));
    equal("blocker", [found.chain.id, found.chain.input, found.chain.omitted?.input], [blocker.id, "", wideBytes]);
  },
});
