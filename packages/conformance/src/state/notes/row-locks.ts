import { equal } from "../../check.ts";
import { inTime } from "../../behaviour/event-log.ts";
import { completed } from "../build.ts";
import { rulesWith } from "../group.ts";
import { holding } from "../holding.ts";
import { leaseMs } from "../losses.ts";
import { memosOf, note, noteAll, noting, remember, running } from "./noting.ts";

/** Notes beside transactions of other processes. */
export const noteLockCases = rulesWith("notes beside open transactions", "rowLocks", {
  "a note by itself waits for no transaction: an item whose job is locked is busy, and the others are noted": async (
    fixture,
  ) => {
    const [one, two, three] = [await running(fixture), await running(fixture), await running(fixture)];
    const cancels = await holding(fixture, (other, tx) =>
      other.store.cancel(
        [one, three].map(({ chainId }) => ({ chainId, reason: undefined })),
        other.options(tx),
      ),
    );
    const items = [one, two].map((held) =>
      noting(held, { memos: [{ name: "m", value: "1" }], checkpoint: "2", progress: "3" }),
    );
    const stored = { status: "noted", memos: [{ value: "1", isNew: true }] } as const;
    const all = noteAll(fixture, [...items, noting(three, { progress: "4" })]);
    equal("beside it", await inTime("it waits for no one", all), [{ status: "busy" }, stored, { status: "busy" }]);
    await cancels.rollBack();
    equal("after it", await noteAll(fixture, items.slice(0, 1)), [stored]);
  },

  "a note about a job that is ended or deleted by an open transaction is busy, and then lost": async (fixture) => {
    const [ended, deleted] = [await running(fixture), await running(fixture)];
    const end = await holding(fixture, (other, tx) => other.settled(completed(ended.fence, "1"), tx));
    const remove = await holding(fixture, (other, tx) =>
      other.store.remove({ chainIds: [deleted.chainId], cascade: false }, other.options(tx)),
    );
    const items = [ended, deleted].map((held) => noting(held, { checkpoint: "1" }));
    equal("beside them", await inTime("it waits for no one", noteAll(fixture, items)), [
      { status: "busy" },
      { status: "busy" },
    ]);
    await Promise.all([end.commit(), remove.commit()]);
    equal("after them", await noteAll(fixture, items), [
      { status: "lost", reason: "completed-elsewhere" },
      { status: "lost", reason: "cancelled" },
    ]);
  },

  "a renewal does not pass over a lease about which a transaction notes something": async (fixture) => {
    const held = await running(fixture, { leaseMs });
    await remember(fixture, held, "first", "1");
    const open = await holding(fixture, (other, tx) =>
      note(other, held, { memos: [{ name: "m", value: "1" }], checkpoint: "2" }, tx),
    );
    const { jobId, fence, workerId } = held.fence;
    const renewal = fixture.store.renew({ workerId, held: [{ jobId, fence, leaseMs }] }, fixture.options());
    equal("extended", await inTime("it waits for no one", renewal), []);
    await open.commit();
  },

  "while a transaction writes the first memo of a job, another note about the job is noted or busy and waits for no one":
    async (fixture) => {
      const held = await running(fixture);
      const open = await holding(fixture, (other, tx) => note(other, held, { memos: [{ name: "m", value: "1" }] }, tx));
      equal("a memo", await inTime("it waits for no one", remember(fixture, held, "other", "2")), { status: "busy" });
      equal("progress", await inTime("nor does this", note(fixture, held, { progress: "3" })), { status: "noted" });
      await open.rollBack();
      equal("after it", await remember(fixture, held, "m", "2"), ["2", true]);
    },

  "no one claims a job about which a transaction notes something, and the next claim has it (F1, F4)": async (
    fixture,
  ) => {
    const held = await running(fixture, { leaseMs });
    await remember(fixture, held, "first", "0");
    const open = await holding(fixture, (other, tx) => note(other, held, { memos: [{ name: "m", value: "1" }] }, tx));
    fixture.advance(leaseMs);
    const claiming = fixture.claim(["a"], { workerId: "worker-2" });
    equal("not claimed", await inTime("it waits for no one", claiming), []);
    await open.commit();
    const again = await fixture.claimOne("a", { workerId: "worker-2" });
    equal("has both", memosOf(again), [
      ["first", "0"],
      ["m", "1"],
    ]);
  },
});
