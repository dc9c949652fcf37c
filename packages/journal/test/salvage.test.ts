import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, defineJobTypes } from "chainwright";
import { expect, it } from "vitest";
import { headerBytes, readHead, recordHeadBytes } from "../src/format.ts";
import { createJournalStateAdapter, dumpJournal, verifyJournal } from "../src/index.ts";
import { temporaryFolder } from "./backend.ts";
import { afterKill, createFakeDisk } from "./fake-disk.ts";
import { openOn, work } from "./work.ts";

const jobTypes = defineJobTypes<{ a: { entry: true; input: string; output: number } }>();

type Files = ReadonlyMap<string, Buffer>;

/** The files of a store that has a snapshot and several segments after it; and those while the next snapshot was written. */
async function written() {
  const disk = createFakeDisk();
  const { store, journal } = await openOn(disk, { segmentBytes: 1_000, snapshotBytes: 1_000_000 });
  await work(disk, store, 5);
  await journal.snapshot();
  await work(disk, store, 5, "q");
  const files = afterKill(disk.steps);
  await journal.snapshot();
  const renamed = disk.steps.findLastIndex(({ kind }) => kind === "rename");
  return { files, inSnapshot: afterKill(disk.steps.slice(0, renamed - 3)) };
}

interface Place {
  readonly at: number;
  readonly end: number;
  /** The ids of the chains that the record writes. */
  readonly ids: readonly string[];
}

function recordsOf(data: Buffer): readonly Place[] {
  const places: Place[] = [];
  for (let at = headerBytes, head = readHead(data, at); head !== undefined; head = readHead(data, at)) {
    const end = at + recordHeadBytes + head.length;
    places.push({
      at,
      end,
      ids: [...data.toString("utf8", at, end).matchAll(/\["job","([^"]+)",\[/g)].map(([, id]) => id ?? ""),
    });
    at = end;
  }
  return places;
}

const idsIn = (files: Files, isThere: (name: string, place: Place) => boolean): Set<string> =>
  new Set(
    [...files].flatMap(([name, data]) =>
      name === "CURRENT"
        ? []
        : recordsOf(data)
            .filter((place) => isThere(name, place))
            .flatMap(({ ids }) => ids),
    ),
  );

/** Salvages these files, opens what was salvaged and ends with the chains of it and what the salvage says is lost. */
async function salvaged(files: Files) {
  const folder = temporaryFolder();
  const to = join(folder, "to");
  mkdirSync(join(folder, "from"));
  for (const [name, data] of files) writeFileSync(join(folder, "from", name), data);
  const { lost, rows } = await dumpJournal({ folder: join(folder, "from"), to, salvage: true });
  expect(await verifyJournal({ folder: to })).toMatchObject({ ok: true, rows });
  const store = await createJournalStateAdapter({ folder: to });
  const client = createClient({ stateAdapter: store, jobTypes, observers: [] });
  // It can be used: what is left is claimed, and the doctor reads all of it.
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 1_000 };
  const { claimed } = await store.exchange({ outcomes: [], claim }, {});
  const outcomes = claimed.map(({ id, fence }) => {
    return { target: { jobId: id, workerId: "w", fence }, kind: "completed", output: "1" } as const;
  });
  await store.exchange({ outcomes, claim: undefined }, {});
  await client.doctor({ repair: true });
  const { items } = await client.listChains({ limit: 1_000 });
  await client.close();
  await store.close();
  return { lost, ids: new Set<string>(items.map(({ id }) => id)), items };
}

const flipped = (data: Buffer, at: number): Buffer => {
  const copy = Buffer.from(data);
  copy[at] = (copy[at] ?? 0) ^ 0x10;
  return copy;
};

/** The files where one has other content, or is missing. */
const replaced = (files: Files, name: string, data: Buffer | undefined): Files =>
  new Map(
    [...files].flatMap(([each, old]) => (each !== name ? [[each, old]] : data === undefined ? [] : [[each, data]])),
  );

it("a salvage of a journal that is not damaged loses nothing", async () => {
  const { files } = await written();
  expect([...files.keys()].some((name) => name.startsWith("snap-"))).toBe(true);
  expect([...files.keys()].filter((name) => name.startsWith("log-")).length).toBeGreaterThan(2);
  const { lost, ids } = await salvaged(files);
  expect(lost).toEqual([]);
  expect(ids).toEqual(idsIn(files, () => true));
});

it(
  "a salvage keeps every other record when any one is damaged, and says where it was",
  { timeout: 120_000 },
  async () => {
    const { files } = await written();
    for (const [name, data] of files) {
      if (name === "CURRENT") continue;
      for (const { at, end } of recordsOf(data)) {
        const place = at + ((at * 7) % (end - at));
        const { lost, ids } = await salvaged(replaced(files, name, flipped(data, place)));
        expect(ids).toEqual(idsIn(files, (file, record) => file !== name || record.at !== at));
        expect(lost).toContainEqual(expect.objectContaining({ file: name, at, bytes: end - at }));
      }
    }
  },
);

it("a salvage keeps all records of a file whose beginning is damaged, and those before the end of one that was cut", async () => {
  const { files } = await written();
  for (const [name, data] of files) {
    if (name === "CURRENT") continue;
    const header = await salvaged(replaced(files, name, flipped(data, 9)));
    expect(header.lost).toMatchObject([{ file: name, at: 0, bytes: headerBytes }]);
    expect(header.ids).toEqual(idsIn(files, () => true));
    const { at = 0 } = recordsOf(data).at(-1) ?? {};
    const cut = await salvaged(replaced(files, name, data.subarray(0, at + 5)));
    expect(cut.lost).toContainEqual(expect.objectContaining({ file: name, at, bytes: 5 }));
    expect(cut.ids).toEqual(idsIn(files, (file, record) => file !== name || record.at !== at));
  }
});

it("a salvage keeps the other files when one is missing or of another store, and says which", async () => {
  const { files } = await written();
  const { files: others } = await written();
  const names = [...files.keys()].filter((name) => name !== "CURRENT");
  for (const name of names) {
    const isLast = name === names.findLast((each) => each.startsWith("log-"));
    const missing = await salvaged(replaced(files, name, undefined));
    // That the last one is missing can be seen by nothing.
    expect(missing.lost.some(({ file }) => file === name)).toBe(!isLast);
    expect(missing.ids).toEqual(idsIn(files, (file) => file !== name));
    const foreign = [...others].find(([each]) => each.startsWith(name.slice(0, 4)))?.[1];
    const { lost, ids } = await salvaged(replaced(files, name, foreign));
    expect(lost).toContainEqual(expect.objectContaining({ file: name, at: 0, bytes: foreign?.length }));
    expect(ids).toEqual(missing.ids);
  }
});

it("a salvage finds the newest whole snapshot and what is after it when CURRENT is missing or damaged", async () => {
  const { files: ended, inSnapshot } = await written();
  expect([...inSnapshot.keys()].filter((name) => name.startsWith("snap-")).length).toBe(2);
  for (const files of [ended, inSnapshot]) {
    const current = files.get("CURRENT") ?? Buffer.alloc(0);
    for (const damaged of [undefined, Buffer.alloc(0), flipped(current, 20), current.subarray(0, 30)]) {
      const { lost, ids } = await salvaged(replaced(files, "CURRENT", damaged));
      expect(lost).toMatchObject([{ file: "CURRENT" }]);
      expect(ids).toEqual(idsIn(files, () => true));
    }
  }
});

it("a salvage reads all snapshots and segments when neither CURRENT nor a whole snapshot is there", async () => {
  const { files } = await written();
  const [name = "", data = Buffer.alloc(0)] = [...files].find(([each]) => each.startsWith("snap-")) ?? [];
  const damaged = replaced(replaced(files, "CURRENT", undefined), name, data.subarray(0, data.length - 3));
  const { lost, ids } = await salvaged(damaged);
  expect(lost.map(({ file }) => file)).toEqual(["CURRENT", name]);
  expect(ids).toEqual(idsIn(files, () => true));
});

it("verify and dump create nothing, and refuse a folder that is not there", async () => {
  const folder = join(temporaryFolder(), "none");
  await expect(verifyJournal({ folder })).rejects.toMatchObject({ code: "invalid-input" });
  await expect(dumpJournal({ folder, to: join(folder, "to") })).rejects.toMatchObject({ code: "invalid-input" });
  mkdirSync(folder);
  expect(await verifyJournal({ folder })).toMatchObject({ ok: false, damage: { file: "CURRENT" } });
});
