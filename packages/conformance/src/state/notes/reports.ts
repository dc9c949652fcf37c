import type { Outcome } from "chainwright/adapter";
import { mostLogLines } from "chainwright/adapter";
import { equal, match, only } from "../../check.ts";
import { completed, deferred, failed, job } from "../build.ts";
import { rules } from "../group.ts";
import { line, note, noteAll, notesOf, noting, running, seqsOf } from "./noting.ts";

/** Checkpoints, progress and logs. */
export const reportCases = rules("checkpoints and reports", {
  "the last checkpoint that was saved is in the next claim (F3)": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { checkpoint: '{"at":1}' });
    fixture.advance(5);
    await note(fixture, held, { checkpoint: '{"at":2}' });
    equal("on record", (await notesOf(fixture, held.id)).checkpoint, {
      value: '{"at":2}',
      attempt: 1,
      at: fixture.now(),
    });
    await fixture.settled(deferred(held.fence));
    equal("in the claim", (await fixture.claimOne("a")).checkpoint, '{"at":2}');
  },

  "of several checkpoints of one call the last one counts (F3)": async (fixture) => {
    const held = await running(fixture);
    const items = ["1", "2", "3"].map((checkpoint) => noting(held, { checkpoint }));
    equal("replies", await noteAll(fixture, items), [{ status: "noted" }, { status: "noted" }, { status: "noted" }]);
    equal("on record", (await notesOf(fixture, held.id)).checkpoint?.value, "3");
  },

  "a checkpoint of any JSON comes back as it went in": async (fixture) => {
    for (const value of ["null", "0", '""', JSON.stringify({ text: "\u0000\ud800 ", deep: [[{}]] })]) {
      const held = await running(fixture);
      await note(fixture, held, { checkpoint: value });
      await fixture.settled(deferred(held.fence));
      const again = await fixture.claimOne("a");
      equal("as it was", again.checkpoint, value);
      await fixture.settled(completed(again.fence));
    }
  },

  "progress replaces progress, and leaves the rest alone": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { progress: "1", checkpoint: "7", lines: [line(1)] });
    fixture.advance(5);
    await note(fixture, held, { progress: "2" });
    const { progress, checkpoint, lines } = await notesOf(fixture, held.id);
    equal("progress", progress, { value: "2", attempt: 1, at: fixture.now() });
    equal("the rest", [checkpoint?.value, lines.length], ["7", 1]);
  },

  "progress and lines are not in claims": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { progress: "1", lines: [line(1)] });
    await fixture.settled(deferred(held.fence));
    const { memos, checkpoint } = await fixture.claimOne("a");
    equal("none", [memos, checkpoint], [undefined, undefined]);
  },

  "lines come back as they went in, in the order of their places": async (fixture) => {
    const held = await running(fixture);
    const first = line(2 ** 33 + 1, { level: "debug", message: "\u0000 \ud800 %s 🚚", data: '{"a":"\\u0000"}' });
    await note(fixture, held, { lines: [first] });
    await fixture.settled(deferred(held.fence));
    const again = await fixture.claimOne("a");
    await note(fixture, again, { lines: [line(2 ** 34, { level: "error" }), line(2 ** 34 + 1, { level: "warn" })] });
    const { lines } = await notesOf(fixture, held.id);
    equal("the first", lines[0], { ...first, attempt: 1 });
    const [, second, third] = lines;
    match("the second", second, { seq: 2 ** 34, level: "error", attempt: 2, data: undefined });
    match("the third", third, { seq: 2 ** 34 + 1, level: "warn", attempt: 2 });
  },

  "a line that is on record is not written again": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { lines: [line(1), line(2)] });
    await note(fixture, held, { lines: [line(2, { message: "again" }), line(3)] });
    const { lines } = await notesOf(fixture, held.id);
    equal(
      "once",
      lines.map(({ message }) => message),
      ["line 1", "line 2", "line 3"],
    );
  },

  "the newest lines stay": async (fixture) => {
    const held = await running(fixture);
    const lines = Array.from({ length: mostLogLines }, (_, index) => line(index + 1));
    await note(fixture, held, { lines });
    equal("all", (await seqsOf(fixture, held.id)).length, mostLogLines);
    await note(fixture, held, { lines: [line(mostLogLines + 1), line(mostLogLines + 2)] });
    const seqs = await seqsOf(fixture, held.id, { lines: mostLogLines + 5 });
    equal("as many", seqs.length, mostLogLines);
    equal("the oldest and the newest", [seqs[0], seqs.at(-1)], [3, mostLogLines + 2]);
    const more = Array.from({ length: mostLogLines + 7 }, (_, index) => line(10_000 + index));
    await note(fixture, held, { lines: more });
    const left = await seqsOf(fixture, held.id, { lines: mostLogLines + 5 });
    equal("of one call", [left.length, left[0]], [mostLogLines, 10_007]);
  },

  "lines are read page by page in both directions, job by job": async (fixture) => {
    const [one, two] = [await running(fixture), await running(fixture)];
    await note(fixture, one, { lines: [line(1), line(2), line(3), line(4)] });
    await note(fixture, two, { lines: [line(7)] });
    equal("first page", await seqsOf(fixture, one.id, { lines: 3 }), [1, 2, 3]);
    equal("second page", await seqsOf(fixture, one.id, { lines: 3, after: 3 }), [4]);
    equal("after the end", await seqsOf(fixture, one.id, { lines: 3, after: 4 }), []);
    equal("newest first", await seqsOf(fixture, one.id, { lines: 3, order: "descending" }), [4, 3, 2]);
    equal("on", await seqsOf(fixture, one.id, { lines: 3, order: "descending", after: 2 }), [1]);
    equal("none", await seqsOf(fixture, one.id, { lines: 0 }), []);
    const items = [{ jobId: two.id }, { jobId: one.id, after: 3 }];
    const query = { items, lines: 9, order: "ascending", memos: "none" } as const;
    const both = await fixture.store.listNotes(query, fixture.options());
    equal(
      "both",
      both.map((record) => record?.lines.map(({ seq }) => seq)),
      [[7], [4]],
    );
  },

  "memos are read only where they are asked for": async (fixture) => {
    const held = await running(fixture);
    await note(fixture, held, { memos: [{ name: "m", value: "1" }] });
    equal("none", (await notesOf(fixture, held.id, { memos: "none" })).memos, []);
    equal("all", (await notesOf(fixture, held.id)).memos.length, 1);
  },

  "the reports of an outcome are written with it, however it is handed in": async (fixture) => {
    const outcomes: readonly ((target: Outcome["target"]) => Outcome)[] = [
      (target) => completed(target),
      (target) => failed(target),
      (target) => ({ target, kind: "continued", next: job("b") }),
    ];
    for (const outcome of outcomes) {
      const held = await running(fixture);
      const reports = { attempt: held.attempt, progress: "99", lines: [line(5)] };
      await fixture.settled({ ...outcome(held.fence), reports });
      const { progress, lines } = await notesOf(fixture, held.id);
      equal("by settle", [progress?.value, only("one line", lines).seq], ["99", 5]);
    }
    const held = await running(fixture);
    const reports = { attempt: held.attempt, progress: "50", lines: [line(5)] };
    const outcome: Outcome = { ...deferred(held.fence), reports };
    await fixture.store.exchange({ outcomes: [outcome], claim: undefined }, fixture.options());
    equal("by exchange", (await notesOf(fixture, held.id)).progress?.value, "50");
    const again = await fixture.claimOne("a");
    const last = { attempt: again.attempt, progress: "60", lines: [line(6)] };
    await fixture.transact((tx) => fixture.settled({ ...completed(again.fence), reports: last }, tx));
    const { progress, lines } = await notesOf(fixture, held.id);
    equal("in a transaction", [progress?.value, progress?.attempt, lines.map(({ seq }) => seq)], ["60", 2, [5, 6]]);
  },

  "the reports of a lost outcome are not written (F4)": async (fixture) => {
    const held = await running(fixture, { leaseMs: 1_000 });
    fixture.advance(1_000);
    const again = await fixture.claimOne("a", { workerId: "worker-2" });
    await note(fixture, again, { progress: "2" });
    const reports = { attempt: 1, progress: "1", lines: [line(1)] };
    const reply = await fixture.settle({ ...completed(held.fence), reports });
    match("lost", reply, { status: "lost", reason: "lease-lost" });
    const { progress, lines } = await notesOf(fixture, held.id);
    equal("not written", [progress?.value, lines], ["2", []]);
  },
});
