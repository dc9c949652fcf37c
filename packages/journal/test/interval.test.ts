import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWriter } from "../src/writer.ts";
import { createFakeSegments } from "./fake-segments.ts";
import { inThread } from "./paces.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const intervalMs = 20;

/** A writer at an interval on a disk whose syncs take so long. */
function slowWriter(syncMs: number) {
  const begun: number[] = [];
  const origin = performance.now();
  const now = () => Math.round(performance.now() - origin);
  const disk = createFakeSegments(async () => {
    begun.push(now());
    if (syncMs > 0) await new Promise((resolve) => setTimeout(resolve, syncMs));
  });
  const writer = createWriter({
    segments: disk.segments,
    intervalMs,
    onWritten: () => {},
    isDiskBusy: () => false,
    pace: inThread,
  });
  const write = async (name: string): Promise<number> => {
    writer.append([["key", name]]);
    await writer.settled();
    return now();
  };
  return { ...disk, begun, write };
}

it("at an interval a call returns when its data is written, and its sync begins when the interval is over", async () => {
  const { begun, write, synced } = slowWriter(0);
  expect(await write("a")).toBe(0);
  await vi.advanceTimersByTimeAsync(intervalMs - 1);
  expect(await write("b")).toBe(intervalMs - 1);
  expect(begun).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect([begun, synced()]).toEqual([[intervalMs], 2]);
  // Nothing is synced for nothing.
  await vi.advanceTimersByTimeAsync(10 * intervalMs);
  expect(begun).toEqual([intervalMs]);
  expect(vi.getTimerCount()).toBe(0);
});

it("what is written during a sync gets one of its own within another interval, also if nothing is written after it", async () => {
  const { begun, write, synced } = slowWriter(10);
  await write("a");
  await vi.advanceTimersByTimeAsync(intervalMs + 5);
  // The first sync is under way.
  await write("b");
  await vi.advanceTimersByTimeAsync(5);
  expect([begun, synced()]).toEqual([[intervalMs], 1]);
  await vi.advanceTimersByTimeAsync(2 * intervalMs);
  expect(synced()).toBe(2);
  expect(begun).toHaveLength(2);
});

it("a sync that takes longer than the interval holds calls back", async () => {
  const { write, synced } = slowWriter(100);
  await write("a");
  await vi.advanceTimersByTimeAsync(intervalMs + intervalMs + 1);
  const second = write("b");
  await vi.advanceTimersByTimeAsync(200);
  // The sync that began at the end of the interval has ended by then.
  expect(await second).toBe(intervalMs + 100);
  expect(synced()).toBe(2);
});
