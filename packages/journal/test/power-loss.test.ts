import { expect, it } from "vitest";
import { afterKill, afterPowerLoss, createFakeDisk, type DiskStep, type Survives } from "./fake-disk.ts";
import { inThread, paces } from "./paces.ts";
import { lostIn, openOn, work } from "./work.ts";

/** More with CHAINWRIGHT_POWER_LOSSES=20: how often the power fails at each step. */
const losses = Number(process.env["CHAINWRIGHT_POWER_LOSSES"] ?? 2);

const nothing: Survives = () => false;
/** The process is killed, and the power stays. */
const everything: Survives = () => true;
const anything: Survives = () => Math.random() < 0.5;

it.each(paces)(
  "full loses no acknowledged call and no half of one when the power fails at any step, whichever blocks reach the disk, with syncs %s",
  { timeout: 120_000 },
  async (_, pace) => {
    const disk = createFakeDisk();
    const { store } = await openOn(disk, { pace });
    await work(disk, store, 14);
    await store.close();
    expect(disk.steps.filter(({ kind }) => kind === "rename").length).toBeGreaterThan(3);
    expect(disk.steps.some((step) => step.kind === "sync" && step.isInThread)).toBe(pace === inThread);
    for (let count = 1; count <= disk.steps.length; count += 1) {
      const before = disk.steps.slice(0, count);
      for (const survives of [nothing, everything, ...Array.from({ length: losses }, () => anything)]) {
        const there = createFakeDisk(afterPowerLoss(before, survives));
        const again = await openOn(there, { pace });
        expect(await lostIn(again.store, before)).toEqual([]);
        // It goes on from there, and a second failure loses nothing either.
        await work(there, again.store, 1, "q");
        const third = await openOn(createFakeDisk(afterPowerLoss(there.steps, survives)));
        expect(await lostIn(third.store, [...before, ...there.steps])).toEqual([]);
      }
    }
  },
);

/** The acknowledgements whose records were synced afterwards. */
function syncedIn(steps: readonly DiskStep[]): DiskStep[] {
  const logs = new Set(
    steps.flatMap((step) => (step.kind === "create" && step.name.startsWith("log-") ? step.file : [])),
  );
  return steps.filter((step, index) => {
    const written = steps.slice(0, index).findLast((each) => each.kind === "write" && logs.has(each.file));
    const isSynced = steps
      .slice(index)
      .some((each) => each.kind === "sync" && written?.kind === "write" && each.file === written.file);
    return step.kind === "acknowledged" && isSynced;
  });
}

it(
  "an interval loses nothing when the process is killed, and only what no sync came after when the power fails",
  { timeout: 120_000 },
  async () => {
    const disk = createFakeDisk();
    const { store } = await openOn(disk, { intervalMs: 1 });
    await work(disk, store, 12);
    await store.close();
    for (let count = 1; count <= disk.steps.length; count += 1) {
      const before = disk.steps.slice(0, count);
      const killed = await openOn(createFakeDisk(afterKill(before)), { intervalMs: 1 });
      expect(await lostIn(killed.store, before)).toEqual([]);
      const failed = await openOn(createFakeDisk(afterPowerLoss(before, anything)), { intervalMs: 1 });
      expect(await lostIn(failed.store, syncedIn(before))).toEqual([]);
    }
  },
);
