import Database from "better-sqlite3";
import type { NoteItem } from "chainwright/adapter";
import { mostLogLines } from "chainwright/adapter";
import { expect, it } from "vitest";
import { listenedStore, pagesRead, scansOf, uncachedStore } from "../listened-store.ts";
import { databasePath, jobStart, migratedStore } from "../store.ts";

const isFullScale = process.env["CHAINWRIGHT_SCALE"] === "full";

type Store = Awaited<ReturnType<typeof migratedStore>>;

async function claimed(store: Store, limit = 10) {
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit };
  return (await store.exchange({ outcomes: [], claim }, {})).claimed;
}

type Job = Awaited<ReturnType<typeof claimed>>[number] | undefined;

const target = (job: Job) => ({ jobId: job?.id ?? "", workerId: "w", fence: job?.fence ?? 0 });
const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => {
    return { seq: from + n, at: 1, level: "info", message: "m", data: undefined } as const;
  });
const noting = (job: Job, content: Partial<NoteItem>): NoteItem => ({ target: target(job), attempt: 1, ...content });
const everything = (n: number) => ({
  memos: [{ name: `m${n}`, value: "1" }],
  checkpoint: "1",
  progress: "1",
  lines: lines(n, 1),
});
const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 10 } as const;
const ofNotes = /chainwright_(memo|progress|log_line|spent_note)\b/;

it("runs no statement about notes for jobs that note nothing, and creates no trigger (F6)", async () => {
  const { store, statements } = await listenedStore();
  statements.length = 0;
  const blocker = jobStart();
  const starts = [blocker, jobStart({ blockers: [{ chainId: blocker.id, typeName: undefined }] }), jobStart()];
  await store.start([{ starts }], {});
  const [first, second] = await claimed(store);
  await store.settle([{ target: target(first), kind: "completed", output: "1" }], {});
  await store.settle([{ target: target(second), kind: "continued", next: jobStart() }], {});
  await store.cancel([{ chainId: second?.id ?? "", reason: undefined }], {});
  await store.retry([{ chainId: second?.id ?? "", input: undefined, typeName: undefined }], {});
  await store.remove({ chainIds: [second?.id ?? ""], cascade: false }, {});
  expect(new Set(statements).size).toBeGreaterThan(20);
  expect(statements.filter((sql) => ofNotes.test(sql) || sql.includes("create trigger"))).toEqual([]);
});

it("finds what jobs have noted by an index, and runs as many statements beside many notes as beside none", async () => {
  const { store, statements, plans } = await listenedStore();
  await store.start([{ starts: [jobStart(), jobStart(), jobStart()] }], {});
  const [first, second, third] = await claimed(store);
  await store.note([noting(first, everything(1))], {});
  const statementsOf = async (item: NoteItem) => {
    statements.length = 0;
    expect(await store.note([item], {})).toMatchObject([{ status: "noted" }]);
    return statements.filter((sql) => ofNotes.test(sql)).length;
  };
  const beside = await statementsOf(noting(second, everything(1)));
  await store.note([noting(third, { ...everything(1), lines: lines(10, mostLogLines - 1) })], {});
  expect(await statementsOf(noting(third, everything(5_000)))).toBe(beside);
  // The oldest line goes.
  expect(await statementsOf(noting(third, everything(5_001)))).toBe(beside + 1);

  await store.note([noting(first, everything(2))], {});
  await store.settle(
    [{ target: target(first), kind: "deferred", counted: true, schedule: undefined, errors: undefined }],
    {},
  );
  const [again] = await claimed(store);
  expect(again).toMatchObject({ checkpoint: "1" });
  await store.settle([{ target: target(again), kind: "completed", output: "1" }], {});
  await store.maintain(upkeep, {});
  await store.remove({ chainIds: [first?.id ?? ""], cascade: false }, {});
  for (const order of ["ascending", "descending"] as const)
    await store.listNotes({ items: [{ jobId: third?.id ?? "", after: 7 }], lines: 5, order, memos: "all" }, {});
  const own = [...plans.keys()].filter((sql) => ofNotes.test(sql));
  expect(own.length).toBeGreaterThan(10);
  expect(scansOf(own, plans).filter((plan) => !plan.startsWith("SCAN chainwright_spent_note"))).toEqual([]);
});

/** Pages that a note of everything, the claim after it and a look at the notes read beside so many notes of other jobs. */
async function pagesOfNote(beside: number) {
  const path = databasePath();
  const store = await migratedStore({ path });
  await store.start([{ starts: [jobStart(), jobStart()] }], {});
  const [planted, own] = await claimed(store);
  await store.note([noting(planted, everything(1)), noting(own, everything(1))], {});
  await store.close();
  const raw = new Database(path);
  const rows = `with recursive n (n) as (select 1000 union all select n + 1 from n where n < ${beside} + 1000)`;
  raw.exec(`${rows} insert into chainwright_memo select n, 'm', '1', 1, 1 from n`);
  raw.exec(`${rows} insert into chainwright_progress select n, '1', 1, 1, 1 from n`);
  raw.exec(`${rows} insert into chainwright_log_line select n, 1, 1, 1, 'info', '"m"', null from n`);
  raw.close();
  const uncached = await uncachedStore(path);
  const before = pagesRead();
  expect(await uncached.note([noting(own, everything(2))], {})).toMatchObject([{ status: "noted" }]);
  await uncached.listNotes({ items: [{ jobId: own?.id ?? "" }], lines: 5, order: "descending", memos: "all" }, {});
  return pagesRead() - before;
}

/** A million with CHAINWRIGHT_SCALE=full. */
const many = isFullScale ? 1_000_000 : 20_000;

it.skipIf(process.platform !== "linux")(
  `reads as many pages for a note beside the notes of ${many} jobs as beside those of 200`,
  { timeout: isFullScale ? 600_000 : 60_000 },
  async () => {
    const few = await pagesOfNote(200);
    const beside = await pagesOfNote(many);
    if (isFullScale)
      process.stdout.write(`pages of a note: ${few} beside 200 jobs with notes, ${beside} beside ${many}\n`);
    // The trees of three tables are up to two levels deeper.
    expect(beside).toBeLessThan(few * 2);
  },
);
