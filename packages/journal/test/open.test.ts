import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createJournalStateAdapter, dumpJournal, verifyJournal } from "../src/index.ts";
import { temporaryFolder } from "./backend.ts";
import { jobOf } from "./jobs.ts";

it.each(["full", { intervalMs: 10 }] as const)(
  "keeps chains in the folder when it is closed, and opens it again, with %j",
  async (durability) => {
    const folder = join(temporaryFolder(), "new", "folder");
    const store = await createJournalStateAdapter({ folder, durability });
    await store.start([{ starts: [jobOf("a")] }], {});
    const id = await store.storeId({});
    await store.close();
    await expect(store.getChains(["a"], {})).rejects.toMatchObject({ code: "closed" });
    const rows: number[] = [];
    const again = await createJournalStateAdapter({
      folder,
      durability,
      onProgress: (progress) => rows.push(progress.rows),
    });
    expect((await again.getChains(["a"], {}))[0]?.status).toBe("active");
    expect(await again.storeId({})).toBe(id);
    expect(rows).toEqual([1]);
    await again.close();
  },
);

it("makes jobs ready that ran when the process ended, with their attempt counted", async () => {
  const folder = temporaryFolder();
  const store = await createJournalStateAdapter({ folder });
  await store.start([{ starts: [jobOf("a")] }], {});
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 3_600_000 }], limit: 1 };
  await store.exchange({ outcomes: [], claim }, {});
  await store.close();
  const again = await createJournalStateAdapter({ folder });
  const { claimed } = await again.exchange({ outcomes: [], claim }, {});
  expect(claimed).toMatchObject([{ id: "a", attempt: 2, fence: 2 }]);
  await again.close();
});

it("refuses a folder that is open, in this process as well, and says which process has it", async () => {
  const folder = temporaryFolder();
  const store = await createJournalStateAdapter({ folder });
  const second = createJournalStateAdapter({ folder });
  await expect(second).rejects.toMatchObject({ code: "store-unavailable" });
  await expect(second).rejects.toThrow(`process ${process.pid}`);
  await store.start([{ starts: [jobOf("a")] }], {});
  await store.close();
  await (await createJournalStateAdapter({ folder })).close();
});

it("stops before the next snapshot when another process has opened the folder all the same", async () => {
  const folder = temporaryFolder();
  const copy = join(temporaryFolder(), "copy");
  const store = await createJournalStateAdapter({ folder });
  // Locks that do not work, as on some network folders: the copy is opened, and its CURRENT comes back.
  cpSync(folder, copy, { recursive: true });
  await (await createJournalStateAdapter({ folder: copy })).close();
  cpSync(join(copy, "CURRENT"), join(folder, "CURRENT"));
  await store.start(
    [
      {
        starts: Array.from({ length: 20 }, (_, index) => jobOf(`big-${index}`, { input: `"${"x".repeat(100_000)}"` })),
      },
    ],
    {},
  );
  await expect(store.close()).rejects.toThrow("another process");
});

it("keeps nothing with `memory`, and creates no folder", async () => {
  const folder = join(temporaryFolder(), "none");
  const store = await createJournalStateAdapter({ folder, durability: "memory" });
  await store.start([{ starts: [jobOf("a")] }], {});
  await store.close();
  expect(() => readdirSync(folder)).toThrow("ENOENT");
});

it.each([
  [{ folder: "" }, "folder"],
  [{ folder: "x", durability: { intervalMs: 0 } }, "intervalMs"],
  [{ folder: "x", durability: "fast" }, "durability"],
  [{ folder: "x", durable: true }, "durable"],
])("refuses the options %j", async (options, word) => {
  const opening = createJournalStateAdapter(options as { readonly folder: string });
  await expect(opening).rejects.toMatchObject({ code: "invalid-input" });
  await expect(opening).rejects.toThrow(word);
});

it("writes a backup while the journal is used, which opens by itself", async () => {
  const folder = temporaryFolder();
  const to = join(temporaryFolder(), "backup");
  const store = await createJournalStateAdapter({ folder });
  await store.start([{ starts: [jobOf("a"), jobOf("b")] }], {});
  expect(await verifyJournal({ folder })).toMatchObject({ ok: true, rows: 2, damage: undefined, tail: undefined });
  expect(await dumpJournal({ folder, to })).toEqual({ rows: 2, lost: [] });
  await expect(dumpJournal({ folder, to })).rejects.toThrow("empty folder");
  await store.close();
  const copy = await createJournalStateAdapter({ folder: to });
  expect((await copy.getChains(["a", "b"], {})).map((chain) => chain?.id)).toEqual(["a", "b"]);
  await copy.close();
});
