import { join } from "node:path";
import { expect, it } from "vitest";
import { readCurrent, writeCurrent } from "../src/current.ts";
import { createJournalStateAdapter, dumpJournal, verifyJournal } from "../src/index.ts";
import { openDiskToRead, openRealDisk } from "../src/real-disk.ts";
import { readSettled } from "../src/settled.ts";
import { temporaryFolder } from "./backend.ts";
import { createFakeDisk } from "./fake-disk.ts";
import { jobOf, lostOf, pairOf } from "./jobs.ts";
import { openOn } from "./work.ts";

it(
  "verify and dump read a journal while its owner writes it and takes one snapshot after the other",
  { timeout: 120_000 },
  async () => {
    const folder = temporaryFolder();
    const { store, journal } = await openOn(await openRealDisk(folder));
    const ending = new AbortController();
    const start = async (id: string) => store.start([{ starts: pairOf(id).map((each) => jobOf(each)) }], {});
    const starting = (async () => {
      for (let count = 0; !ending.signal.aborted; count += 1) await start(`p${count}`);
    })();
    const snapshotting = (async () => {
      while (!ending.signal.aborted) await journal.snapshot();
    })();
    const snapshots = new Set<number | undefined>();
    for (let round = 0; round < 15 || snapshots.size < 8; round += 1) {
      snapshots.add((await readCurrent(openDiskToRead(folder)))?.snapshot);
      expect(await verifyJournal({ folder })).toMatchObject({ ok: true, damage: undefined });
      const to = join(temporaryFolder(), "to");
      await start(`before-${round}`);
      expect(await dumpJournal({ folder, to, salvage: round % 2 === 0 })).toMatchObject({ lost: [] });
      const copy = await createJournalStateAdapter({ folder: to });
      expect(await lostOf(copy, [`before-${round}`])).toEqual([]);
      await copy.close();
    }
    ending.abort();
    await Promise.all([starting, snapshotting]);
    await store.close();
  },
);

it("who reads a folder reads it again if CURRENT has changed since, and fails if it has not", async () => {
  const disk = createFakeDisk();
  await openOn(disk);
  let tries = 0;
  const reading = readSettled(disk, async () => {
    tries += 1;
    if (tries > 1) return "read";
    const current = await readCurrent(disk);
    if (current !== undefined) await writeCurrent(disk, { ...current, epoch: 9 });
    throw new Error("a file is gone");
  });
  expect(await reading).toBe("read");
  const failing = readSettled(disk, async () => Promise.reject(new Error("a file is gone")));
  await expect(failing).rejects.toThrow("a file is gone");
});
