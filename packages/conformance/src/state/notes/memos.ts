import type { StateFixture } from "../fixture.ts";
import { equal, match, rejected } from "../../check.ts";
import { completed, deferred, failed, job } from "../build.ts";
import { accepted } from "../fixture.ts";
import { rules } from "../group.ts";
import { memosOf, note, noteAll, notesOf, noting, remember, running } from "./noting.ts";

/** What attempts remember for later attempts. */
export const memoCases = rules("memos", {
  "a memo is in every later claim of its job (F1)": async (fixture) => {
    const first = await running(fixture);
    equal("the first claim has none", [first.memos, first.checkpoint], [undefined, undefined]);
    equal("written", await remember(fixture, first, "upload", '{"id":7}'), ['{"id":7}', true]);
    equal("another", await remember(fixture, first, "nothing", ""), ["", true]);
    for (const counted of [true, false]) {
      const held = counted ? first : await fixture.claimOne("a");
      await fixture.settled(deferred(held.fence, { counted }));
    }
    const third = await fixture.claimOne("a");
    equal("both are there", memosOf(third), [
      ["nothing", ""],
      ["upload", '{"id":7}'],
    ]);
    match(
      "on record",
      (await notesOf(fixture, first.id)).memos.find(({ name }) => name === "upload"),
      {
        value: '{"id":7}',
        attempt: 1,
        at: fixture.now(),
      },
    );
  },

  "the first memo of a name stays, and the second call gets it (F1)": async (fixture) => {
    const first = await running(fixture, { leaseMs: 1_000 });
    await remember(fixture, first, "m", "1");
    equal("again", await remember(fixture, first, "m", "2"), ["1", false]);
    fixture.advance(1_000);
    const second = await fixture.claimOne("a", { workerId: "worker-2" });
    equal("by the next attempt", await remember(fixture, second, "m", "3"), ["1", false]);
    equal("in the claim", memosOf(second), [["m", "1"]]);
  },

  "the memos of an item are reported in its order, old and new ones": async (fixture) => {
    const held = await running(fixture);
    await remember(fixture, held, "old", "1");
    const memos = [
      { name: "z", value: "26" },
      { name: "old", value: "2" },
      { name: "a", value: "3" },
    ];
    equal("reply", await note(fixture, held, { memos }), {
      status: "noted",
      memos: [
        { value: "26", isNew: true },
        { value: "1", isNew: false },
        { value: "3", isNew: true },
      ],
    });
  },

  "of two items of one call for one name the first one counts": async (fixture) => {
    const held = await running(fixture);
    const other = await running(fixture);
    const replies = await noteAll(fixture, [
      noting(held, { memos: [{ name: "m", value: "1" }] }),
      noting(other, { memos: [{ name: "m", value: "9" }] }),
      noting(held, { memos: [{ name: "m", value: "2" }] }),
    ]);
    equal("replies", replies, [
      { status: "noted", memos: [{ value: "1", isNew: true }] },
      { status: "noted", memos: [{ value: "9", isNew: true }] },
      { status: "noted", memos: [{ value: "1", isNew: false }] },
    ]);
  },

  "names and values come back as they went in": async (fixture) => {
    const held = await running(fixture);
    const names = ["__proto__", "constructor", "part 7/9", "ß", "ẞ", "🚚", "a", "A", "a ", "''", "%_\\"];
    const value = JSON.stringify({ text: "\u0000\ud800 \u2028", deep: [[[{}]]], number: 1e-7 });
    await note(fixture, held, { memos: names.map((name) => ({ name, value })) });
    await fixture.settled(deferred(held.fence));
    equal(
      "all",
      memosOf(await fixture.claimOne("a")),
      names.toSorted().map((name) => [name, value] as const),
    );
  },

  "memos and checkpoint are there after a failure and a retry of the chain, whatever its input (F1, F3)": async (
    fixture,
  ) => {
    const held = await running(fixture);
    await note(fixture, held, { memos: [{ name: "m", value: "1" }], checkpoint: "2" });
    await fixture.settled(failed(held.fence));
    await retry(fixture, held.chainId);
    const again = await fixture.claimOne("a");
    equal("after a failure", [memosOf(again), again.checkpoint], [[["m", "1"]], "2"]);
    accepted(
      "cancelled",
      await fixture.store.cancel([{ chainId: held.chainId, reason: undefined }], fixture.options()),
    );
    await retry(fixture, held.chainId, '{"other":true}');
    const third = await fixture.claimOne("a");
    equal(
      "after a cancellation",
      [memosOf(third), third.checkpoint, third.input],
      [[["m", "1"]], "2", '{"other":true}'],
    );
  },

  "a memo that was written in a transaction exists if the transaction commits (F2)": async (fixture) => {
    const held = await running(fixture);
    await rejected(
      "rolled back",
      fixture.store.transaction(async (tx) => {
        equal("written", await note(fixture, held, { memos: [{ name: "m", value: "1" }] }, tx), {
          status: "noted",
          memos: [{ value: "1", isNew: true }],
        });
        throw new Error("undo");
      }),
    );
    equal("gone", (await notesOf(fixture, held.id)).memos, []);
    await fixture.transact((tx) => note(fixture, held, { memos: [{ name: "m", value: "2" }] }, tx));
    await fixture.settled(deferred(held.fence));
    equal("kept", memosOf(await fixture.claimOne("a")), [["m", "2"]]);
  },

  "a job that never noted anything has nothing, and a job that does not exist has no notes": async (fixture) => {
    const held = await running(fixture);
    const nothing = { checkpoint: undefined, progress: undefined, memos: [], lines: [] };
    equal("nothing", await notesOf(fixture, held.id), { jobId: held.id, ...nothing });
    const items = [{ jobId: "00000000-0000-7000-8000-000000000000" }, { jobId: held.id }];
    const query = { items, lines: 1, order: "ascending", memos: "all" } as const;
    equal("in order", await fixture.store.listNotes(query, fixture.options()), [
      undefined,
      { jobId: held.id, ...nothing },
    ]);
    equal("no items", await fixture.store.listNotes({ ...query, items: [] }, fixture.options()), []);
    equal("no notes", await noteAll(fixture, []), []);
  },

  "the next step of a chain has none of the notes of the step before": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { memos: [{ name: "m", value: "1" }], checkpoint: "2", progress: "3" });
    const next = job("b");
    await fixture.settled({ target: held.fence, kind: "continued", next });
    const claimed = await fixture.claimOne("b");
    equal("none", [claimed.memos, claimed.checkpoint], [undefined, undefined]);
    equal("none on record", (await notesOf(fixture, next.id)).progress, undefined);
  },

  "memos and checkpoint of a completed job are forgotten by maintenance, and those of others stay": async (fixture) => {
    const content = { memos: [{ name: "m", value: "1" }], checkpoint: "2", progress: "3" };
    const done = await running(fixture);
    const continuing = await running(fixture);
    const failing = await running(fixture);
    const waiting = await running(fixture);
    for (const held of [done, continuing, failing, waiting]) await note(fixture, held, content);
    await fixture.settled(completed(done.fence));
    await fixture.settled({ target: continuing.fence, kind: "continued", next: job("b") });
    await fixture.settled(failed(failing.fence));
    await fixture.settled(deferred(waiting.fence));
    await maintain(fixture);
    const kept = async (jobId: string) => {
      const { memos, checkpoint, progress } = await notesOf(fixture, jobId);
      return [memos.length, checkpoint?.value, progress?.value];
    };
    equal("completed", await kept(done.id), [0, undefined, "3"]);
    equal("continued", await kept(continuing.id), [0, undefined, "3"]);
    equal("failed", await kept(failing.id), [1, "2", "3"]);
    equal("open", await kept(waiting.id), [1, "2", "3"]);
    equal("claimed again", memosOf(await fixture.claimOne("a")), [["m", "1"]]);
  },

  "memos and checkpoint of a job whose completion was rolled back stay (F1, F3)": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { memos: [{ name: "m", value: "1" }], checkpoint: "2" });
    await rejected(
      "rolled back",
      fixture.store.transaction(async (tx) => {
        await fixture.settled(completed(held.fence), tx);
        throw new Error("undo");
      }),
    );
    await maintain(fixture);
    await fixture.settled(deferred(held.fence));
    const again = await fixture.claimOne("a");
    equal("kept", [memosOf(again), again.checkpoint], [[["m", "1"]], "2"]);
  },

  "the notes of a deleted chain are gone": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { memos: [{ name: "m", value: "1" }], checkpoint: "2", lines: [] });
    const request = { chainIds: [held.chainId], cascade: false };
    accepted("deleted", await fixture.store.remove(request, fixture.options()));
    const query = { items: [{ jobId: held.id }], lines: 1, order: "ascending", memos: "all" } as const;
    equal("gone", await fixture.store.listNotes(query, fixture.options()), [undefined]);
    equal("lost", await note(fixture, held, { checkpoint: "3" }), { status: "lost", reason: "cancelled" });
    const again = await running(fixture, {}, { id: held.id });
    equal("a new job of the same id begins without", [again.memos, again.checkpoint], [undefined, undefined]);
    equal("on record", (await notesOf(fixture, held.id)).checkpoint, undefined);
  },
});

async function retry({ store, options }: StateFixture, chainId: string, input?: string): Promise<void> {
  accepted("retried", await store.retry([{ chainId, input, typeName: undefined }], options()));
}

/** Until nothing is left to forget. */
async function maintain({ store, options }: StateFixture): Promise<void> {
  for (let passes = 0; passes < 10; passes += 1) {
    const request = { completedMs: undefined, failedMs: undefined, limit: 1 };
    if (!(await store.maintain(request, options())).more) return;
  }
}
