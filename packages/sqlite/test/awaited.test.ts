import { expect, it } from "vitest";
import { databasePath, gate, jobStart, listening, migratedStore, openStore } from "./store.ts";

const settings = /^(pragma synchronous|begin|insert into chainwright_job|update chainwright_job set awaited|commit)/;

/** A migrated store with durability `full`, and how its transactions are committed: what each wrote, and what it waited for. */
async function watchedStore(onNote: () => void = () => {}) {
  const commits: { readonly starts: number; readonly notes: number; readonly synchronous: number }[] = [];
  let [starts, notes] = [0, 0];
  const driver = listening(databasePath(), (sql, handle) => {
    const [what] = settings.exec(sql) ?? [];
    if (what?.startsWith("begin")) [starts, notes] = [0, 0];
    else if (what?.startsWith("insert")) starts += 1;
    else if (what?.startsWith("update")) {
      notes += 1;
      onNote();
    } else if (what === "commit") {
      commits.push({ starts, notes, synchronous: Number(handle.pragma("synchronous", { simple: true })) });
    }
  });
  const store = await migratedStore({ driver, durability: "full" });
  commits.length = 0;
  return { store, commits };
}
const [normal, full] = [1, 2];

it("commits notes without waiting for the disk, and starts with it", async () => {
  const { store, commits } = await watchedStore();
  const start = jobStart();
  await store.start([{ starts: [start] }], {});
  await store.noteAwaited?.([start.id], {});
  await store.start([{ starts: [jobStart()] }], {});
  expect(commits).toEqual([
    { starts: 1, notes: 0, synchronous: full },
    { starts: 0, notes: 1, synchronous: normal },
    { starts: 1, notes: 0, synchronous: full },
  ]);
});

it("waits for the disk with every commit that has a start, in whatever order starts and notes come", async () => {
  const { store, commits } = await watchedStore();
  const first = jobStart();
  await store.start([{ starts: [first] }], {});
  const calls = Array.from({ length: 200 }, (_, index) => async () => {
    for (let turn = 0; turn < index % 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (index % 3 === 0) await store.start([{ starts: [jobStart()] }], {});
    else if (index % 7 === 0) await store.transaction(async (tx) => store.start([{ starts: [jobStart()] }], { tx }));
    else await store.noteAwaited?.([first.id], {});
  });
  await Promise.all(calls.map((call) => call()));
  expect(commits.filter(({ starts, synchronous }) => starts > 0 && synchronous !== full)).toEqual([]);
  expect(commits.length).toBeGreaterThan(1);
});

it("commits a start that arrives while notes are written by itself", async () => {
  const during = { note: (): void => {} };
  const { store, commits } = await watchedStore(() => during.note());
  const [first, second] = [jobStart(), jobStart()];
  await store.start([{ starts: [first] }], {});
  let started: Promise<unknown> | undefined;
  during.note = () => {
    started ??= store.start([{ starts: [second] }], {});
  };
  await store.noteAwaited?.([first.id], {});
  await started;
  expect(commits.slice(1)).toEqual([
    { starts: 0, notes: 1, synchronous: normal },
    { starts: 1, notes: 0, synchronous: full },
  ]);
});

it("does not note a chain while a transaction of another process ends it, and does not wait for that one", async () => {
  const path = databasePath();
  const store = await migratedStore({ path });
  const other = openStore({ path, transactionTimeoutMs: 5_000 });
  const start = jobStart();
  await store.start([{ starts: [start] }], {});
  const [held, end] = [gate(), gate()];
  const transaction = other.transaction(async (tx) => {
    await other.cancel([{ chainId: start.id, reason: undefined }], { tx });
    held.resolve();
    await end.promise;
  });
  await held.promise;
  expect(await store.noteAwaited?.([start.id], {})).toMatchObject([{ chain: { status: "active" }, isNoted: false }]);
  end.resolve();
  await transaction;
  expect(await store.noteAwaited?.([start.id], {})).toMatchObject([{ chain: { status: "cancelled" }, isNoted: false }]);
});

it("does not wait for its own caller inside a transaction's callback", async () => {
  const store = await migratedStore();
  const start = jobStart();
  await store.start([{ starts: [start] }], {});
  const inside = await store.transaction(async () => store.noteAwaited?.([start.id], {}));
  expect(inside).toMatchObject([{ chain: { status: "active" }, isNoted: false }]);
  expect(await store.noteAwaited?.([start.id], {})).toMatchObject([{ isNoted: true }]);
});

it("writes nothing for chains that have ended or that no one started", async () => {
  const { store, commits } = await watchedStore();
  expect(await store.noteAwaited?.([jobStart().id], {})).toMatchObject([{ chain: undefined, isNoted: false }]);
  expect(commits).toEqual([]);
});
