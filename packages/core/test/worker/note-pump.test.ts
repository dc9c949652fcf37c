import { expect, it } from "vitest";
import type { NoteItem, NoteReply } from "../../src/ports/note.ts";
import { createNotePump } from "../../src/worker/notes/note-pump.ts";
import { createReportBuffer } from "../../src/worker/notes/report-buffer.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { mostLogLines } from "../../src/model/note.ts";
import { createRig } from "../rig.ts";

it("1,000 handlers that report ten times a second cost at most 4 calls a second, and the last report of each is written (F7)", async () => {
  const calls: number[] = [];
  const rig = createRig({
    between: (store) => ({
      note(items, options) {
        calls.push(items.length);
        return store.note(items, options);
      },
    }),
    worker: { concurrency: 1_000, prefetch: 0 },
    processors: {
      work: async (context: object) => {
        const { progress } = context as { progress(value: unknown): void };
        for (let percent = 1; percent <= 100; percent += 1) {
          progress(percent);
          await new Promise<void>((resolve) => void rig.clock.setTimer(resolve, 100));
        }
        return null;
      },
    },
  });
  const ids = await Promise.all(Array.from({ length: 1_000 }, () => rig.start("work")));
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(5_000);
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.length).toBeLessThanOrEqual(4 * 5);
  expect(Math.max(...calls)).toBe(1_000);
  await rig.clock.advance(10_000);
  const query = { items: ids.map((jobId) => ({ jobId })), lines: 0, order: "ascending", memos: "none" } as const;
  const notes = await rig.store.listNotes(query, {});
  expect(new Set(notes.map((note) => note?.progress?.value))).toEqual(new Set(["100"]));
  await worker.stop();
});

function pumpOn(note: (items: readonly NoteItem[]) => Promise<readonly NoteReply[] | void>) {
  const clock = createVirtualClock();
  const calls: (readonly string[])[] = [];
  const { engine } = createRig({
    clock: () => clock,
    between: () => ({
      async note(items) {
        calls.push(items.map(({ target }) => target.jobId));
        return (await note(items)) ?? items.map(() => ({ status: "noted" }));
      },
    }),
  });
  return { clock, calls, pump: createNotePump({ engine, onNoted: () => undefined }) };
}

const itemOf = (jobId: string, checkpoint = "1"): NoteItem => ({
  target: { jobId, workerId: "w", fence: 1 },
  attempt: 1,
  checkpoint,
});

it("notes that are awaited go at once, and those that come meanwhile share the next call", async () => {
  const first = Promise.withResolvers<void>();
  const { pump, calls } = pumpOn(() => first.promise);
  const all = [pump.note(itemOf("a"))];
  await Promise.resolve();
  for (let index = 0; index < 50; index += 1) all.push(pump.note(itemOf(`b${index}`)));
  first.resolve();
  await Promise.all(all);
  expect(calls.map((items) => items.length)).toEqual([1, 50]);
});

it("a note that the store refuses fails no other note of its call", async () => {
  const { pump, calls } = pumpOn(async (items) => {
    if (items.some(({ checkpoint }) => checkpoint === "poison")) throw new Error("the store chokes on it");
  });
  const results = await Promise.allSettled([
    pump.note(itemOf("a")),
    pump.note(itemOf("b", "poison")),
    pump.note(itemOf("c")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(calls).toHaveLength(4);
});

it("reports that cannot be written now are written later, the newest progress and every line", async () => {
  let isAway = true;
  const written: NoteItem[] = [];
  const { pump, clock, calls } = pumpOn(async (items) => {
    if (isAway)
      throw Object.assign(new Error("away"), { name: "ChainwrightError", code: "store-unavailable", details: {} });
    written.push(...items);
  });
  const buffer = createReportBuffer({ attempt: 1, fence: 3, now: clock.now, onDropped: () => {} });
  const { target } = itemOf("a");
  const { written: onWritten, putBack } = buffer;
  const source = { take: () => ({ target, attempt: 1, ...buffer.take() }), written: onWritten, putBack };
  buffer.setProgress("1");
  buffer.addLine("info", "first", undefined);
  pump.report(source);
  await clock.advance(1_000);
  expect(calls.length).toBeGreaterThan(0);
  buffer.setProgress("2");
  buffer.addLine("info", "second", undefined);
  pump.report(source);
  isAway = false;
  await clock.advance(30_000);
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject({ progress: "2", lines: [{ message: "first" }, { message: "second" }] });
  pump.stop();
});

it("a buffer keeps the newest lines, whose places grow from claim to claim", () => {
  const dropped: number[] = [];
  const onDropped = (count: number) => void dropped.push(count);
  const bufferOf = (fence: number) => createReportBuffer({ attempt: 1, fence, now: () => 0, onDropped });
  const buffer = bufferOf(1);
  for (let index = 0; index < 5 * mostLogLines; index += 1) buffer.addLine("debug", String(index), undefined);
  const lines = buffer.take()?.lines ?? [];
  expect(lines).toHaveLength(mostLogLines);
  expect(
    dropped.reduce((sum, count) => sum + count, 0),
    "the others are reported",
  ).toBe(4 * mostLogLines);
  expect(lines.at(-1)?.message).toBe(String(5 * mostLogLines - 1));
  expect(buffer.take()).toBeUndefined();
  const next = bufferOf(2);
  next.addLine("debug", "", undefined);
  expect(next.peek()?.lines?.[0]?.seq).toBeGreaterThan(lines.at(-1)?.seq ?? Infinity);
});

it("an outcome carries what a call is about to write, because that call may fail", () => {
  const buffer = createReportBuffer({ attempt: 1, fence: 1, now: () => 0, onDropped: () => {} });
  const messages = () => buffer.peek()?.lines?.map(({ message }) => message);
  buffer.setProgress("1");
  buffer.addLine("info", "first", undefined);
  buffer.take();
  expect(buffer.peek()).toMatchObject({ progress: "1", lines: [{ message: "first" }] });
  buffer.addLine("info", "second", undefined);
  expect(messages()).toEqual(["first", "second"]);
  buffer.written();
  expect(messages()).toEqual(["second"]);
  const taken = buffer.take();
  if (taken !== undefined) buffer.putBack(taken);
  expect(messages()).toEqual(["second"]);
});

it("what an attempt reports while its lease has run out is written once the lease is renewed", async () => {
  let isLost = true;
  const { pump, clock, calls } = pumpOn(async (items) =>
    isLost ? items.map(() => ({ status: "lost", reason: "lease-lost" })) : undefined,
  );
  const buffer = createReportBuffer({ attempt: 1, fence: 3, now: clock.now, onDropped: () => {} });
  const { target } = itemOf("a");
  const { written, putBack } = buffer;
  const source = { take: () => ({ target, attempt: 1, ...buffer.take() }), written, putBack };
  buffer.addLine("info", "first", undefined);
  pump.report(source);
  await clock.advance(1_000);
  expect(calls, "it is not tried again by itself").toHaveLength(1);
  expect(buffer.peek()?.lines).toHaveLength(1);
  isLost = false;
  buffer.addLine("info", "second", undefined);
  expect(buffer.peek()?.lines?.map(({ message }) => message)).toEqual(["first", "second"]);
  pump.report(source);
  await clock.advance(1_000);
  expect(buffer.peek()).toBeUndefined();
  pump.stop();
});

it("what a line carries is described if JSON cannot carry it, and left out if it is too large", () => {
  const buffer = createReportBuffer({ attempt: 1, fence: 1, now: () => 0, onDropped: () => {} });
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  for (const data of [undefined, cyclic, "x".repeat(10_000), { big: 1n }, () => 1, new Error("why")])
    buffer.addLine("info", "x".repeat(10_000), data);
  const lines = buffer.take()?.lines ?? [];
  expect(lines.map(({ data }) => data?.slice(0, 30))).toEqual([
    undefined,
    '{"leftOut":"it cannot be stored as JSON"}'.slice(0, 30),
    '{"leftOut":"10002 characters; a line has at most 8192"}'.slice(0, 30),
    '{"big":"7"}'.replace("7", "1"),
    undefined,
    expect.stringContaining("Error") as unknown,
  ]);
  for (const { message } of lines) expect(message.length).toBeLessThanOrEqual(8_193);
});

it("observers hear what a worker has written in one call, and how many lines were never written", async () => {
  const rig = createRig({
    processors: {
      work: async (context: object) => {
        const { once, saveCheckpoint, progress, log } = context as {
          once(name: string, run: () => Promise<unknown>): Promise<unknown>;
          saveCheckpoint(value: unknown): Promise<void>;
          progress(value: unknown): void;
          readonly log: { info(message: string): void };
        };
        await Promise.all([once("a", async () => 1), once("b", async () => 2), saveCheckpoint(1)]);
        progress(1);
        for (let line = 0; line < 2 * mostLogLines; line += 1) log.info("line");
        await new Promise<void>((resolve) => void rig.clock.setTimer(resolve, 1_000));
        return null;
      },
    },
  });
  await rig.start("work");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(2_000);
  const written = rig.events.all.filter(({ type }) => type === "notes-written");
  const sums = { memos: 0, checkpoints: 0, reports: 0 };
  for (const event of written) {
    if (event.type !== "notes-written") continue;
    sums.memos += event.memos;
    sums.checkpoints += event.checkpoints;
    sums.reports += event.reports;
  }
  expect(sums).toEqual({ memos: 2, checkpoints: 1, reports: 1 });
  expect(rig.events.all.find(({ type }) => type === "log-lines-dropped")).toMatchObject({
    typeName: "work",
    attempt: 1,
    count: mostLogLines,
  });
  await worker.stop();
});
