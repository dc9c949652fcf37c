import { mostLogLines, type NoteItem } from "chainwright/adapter";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { databasePath, jobStart, migratedStore } from "../store.ts";

/** A store with a job that has noted something, and a connection outside of the library. */
async function notedStore() {
  const path = databasePath();
  const store = await migratedStore({ path });
  const start = jobStart();
  await store.start([{ starts: [start] }], {});
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 1 };
  const [job] = (await store.exchange({ outcomes: [], claim }, {})).claimed;
  const target = { jobId: start.id, workerId: "w", fence: job?.fence ?? 0 };
  const line = { seq: 1, at: 1, level: "info", message: "m", data: undefined } as const;
  const item: NoteItem = {
    target,
    attempt: 1,
    memos: [{ name: "m", value: "1" }],
    checkpoint: "1",
    progress: "1",
    lines: [line],
  };
  expect(await store.note([item], {})).toMatchObject([{ status: "noted" }]);
  const raw = new Database(path);
  const rows = () =>
    ["memo", "progress", "log_line", "spent_note"].map(
      (table) =>
        raw.prepare<[], { count: number }>(`select count(*) as count from chainwright_${table}`).get()?.count ?? -1,
    );
  return { store, raw, rows, target, start, line, item };
}

const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 10 } as const;

it("forgets the memos of a job that a process of the release before has completed", async () => {
  const { store, raw, start } = await notedStore();
  raw.prepare("update chainwright_job set status = 'completed' where id = ?").run(start.id);
  raw.close();
  expect(await store.maintain(upkeep, {})).toMatchObject({ more: false });
  const query = { items: [{ jobId: start.id }], lines: 9, order: "ascending", memos: "all" } as const;
  expect(await store.listNotes(query, {})).toMatchObject([
    { memos: [], checkpoint: undefined, progress: { value: "1" }, lines: [{ seq: 1 }] },
  ]);
});

it("leaves nothing of a job that a process of the release before has deleted", async () => {
  const { store, raw, rows, start, target } = await notedStore();
  expect(rows()).toEqual([2, 1, 1, 0]);
  await store.settle([{ target, kind: "completed", output: "1" }], {});
  expect(rows()).toEqual([2, 1, 1, 1]);
  raw.prepare("delete from chainwright_job where id = ?").run(start.id);
  expect(rows()).toEqual([0, 0, 0, 0]);
  raw.close();
});

it("deletes the memos of many completed jobs pass by pass", async () => {
  const { store, raw, rows, item } = await notedStore();
  const starts = Array.from({ length: 25 }, () => jobStart());
  await store.start([{ starts }], {});
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 25 };
  const { claimed } = await store.exchange({ outcomes: [], claim }, {});
  const targets = claimed.map(({ id, fence }) => ({ jobId: id, workerId: "w", fence }));
  await store.note(
    targets.map((target) => ({ ...item, target })),
    {},
  );
  await store.settle(
    targets.map((target) => ({ target, kind: "completed", output: "1" })),
    {},
  );
  const passes: (readonly [more: boolean, left: number])[] = [];
  for (let more = true; more;) {
    more = (await store.maintain(upkeep, {})).more;
    passes.push([more, rows()[3] ?? -1]);
  }
  expect(passes).toEqual([
    [true, 15],
    [true, 5],
    [false, 0],
  ]);
  expect(rows()).toEqual([2, 26, 26, 0]);
  raw.close();
});

it("keeps the newest lines exactly when lines come again and out of order", async () => {
  const { store, raw, rows, item, line } = await notedStore();
  const send = (seqs: readonly number[]) =>
    store.note([{ target: item.target, attempt: 1, lines: seqs.map((seq) => ({ ...line, seq })) }], {});
  const all = Array.from({ length: mostLogLines + 3 }, (_, n) => n + 1);
  await send(all.slice(5));
  await send(all);
  await send(all.slice(0, 2));
  expect(rows()[2]).toBe(mostLogLines);
  expect(raw.prepare("select min(seq) as first from chainwright_log_line").get()).toEqual({ first: 4 });
  expect(raw.prepare("select lines from chainwright_progress").get()).toEqual({ lines: mostLogLines });
  raw.close();
});
