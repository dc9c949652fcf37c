import { expect, it } from "vitest";
import { createFakeDisk, type FakeDisk } from "./fake-disk.ts";
import { elsewhere, inThread } from "./paces.ts";
import { lostIn, openOn, work } from "./work.ts";

const roomBytes = 5_000;
const large = { segmentBytes: 1_000_000, snapshotBytes: 1_000_000, roomBytes };

const sizeOf = (disk: FakeDisk) => (disk.files().get("log-2") ?? Buffer.alloc(0)).length;

it("a segment has room ahead of its records, which it loses when it is closed, and when a process that was killed has left it", async () => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk, large);
  await work(disk, store, 20);
  // It got more room when the first was full.
  expect(sizeOf(disk)).toBeGreaterThan(2 * roomBytes);
  const left = createFakeDisk(disk.files());
  const cuts: unknown[] = [];
  const { store: again } = await openOn(left, { ...large, onCut: (tail) => cuts.push(tail) });
  expect(await lostIn(again, disk.steps)).toEqual([]);
  await store.close();
  expect(sizeOf(left)).toBe(sizeOf(disk));
  // What was never written is not lost.
  expect(cuts).toEqual([]);
});

it("a sync that follows the growth of a segment, or during a snapshot, does not hold the event loop", async () => {
  const disk = createFakeDisk();
  const { store, journal } = await openOn(disk, { ...large, pace: inThread });
  await work(disk, store, 20);
  const inOrder = disk.steps.flatMap((step) => (step.kind === "write" || step.kind === "sync" ? step : []));
  const grown = inOrder.findLastIndex((step) => step.kind === "write" && step.data.length === roomBytes);
  expect(inOrder.slice(grown + 1).find(({ kind }) => kind === "sync")).not.toHaveProperty("isInThread");
  expect(inOrder.filter((step) => step.kind === "sync" && step.isInThread).length).toBeGreaterThan(10);
  const { length } = disk.steps;
  const snapshot = journal.snapshot();
  await work(disk, store, 1, "q");
  await snapshot;
  const during = disk.steps.slice(
    length,
    disk.steps.findLastIndex(({ kind }) => kind === "rename"),
  );
  expect(during.filter((step) => step.kind === "sync" && step.isInThread)).toEqual([]);
  expect(during.some(({ kind }) => kind === "acknowledged")).toBe(true);
  await store.close();
});

it("on a disk that is not fast no sync holds the event loop", async () => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk, { ...large, pace: elsewhere });
  await work(disk, store, 20);
  expect(disk.steps.filter((step) => step.kind === "sync" && step.isInThread)).toEqual([]);
  await store.close();
});

it("the event loop has its turns while callers come back from one sync in its thread after the other", async () => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk, { ...large, roomBytes: 500_000, pace: inThread });
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work(disk, store, 20);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(20);
  await store.close();
});
