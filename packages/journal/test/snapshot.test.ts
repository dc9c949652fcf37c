import type { Change } from "chainwright/change-log";
import { expect, it } from "vitest";
import { readCurrent } from "../src/current.ts";
import { takeSnapshot } from "../src/snapshot.ts";
import { createFakeDisk } from "./fake-disk.ts";
import { openOn } from "./work.ts";

it("a snapshot counts only when what it may have seen is on the disk", async () => {
  const disk = createFakeDisk();
  await openOn(disk);
  const current = await readCurrent(disk);
  if (current === undefined) throw new Error("it has no CURRENT");
  const done: string[] = [];
  function* content(): Generator<Change> {
    yield ["pause", "a", {}];
    done.push("read");
  }
  const writer = {
    cut: async () => ({ segment: current.segment + 1, sequence: 0 }),
    flush: async () => {
      const found = await readCurrent(disk);
      done.push(found?.snapshot === undefined ? "flushed before it counts" : "flushed too late");
    },
  };
  const taken = await takeSnapshot({ disk, current, writer, content });
  expect(done).toEqual(["read", "flushed before it counts"]);
  expect(await readCurrent(disk)).toEqual(taken.current);
});

it("a snapshot of rows with many bytes lets the event loop run between a few of them", async () => {
  const disk = createFakeDisk();
  await openOn(disk);
  const current = await readCurrent(disk);
  if (current === undefined) throw new Error("it has no CURRENT");
  const rows = 20;
  function* content(): Generator<Change> {
    for (let row = 0; row < rows; row += 1) yield ["pause", String(row), "x".repeat(100_000)];
  }
  const writer = { cut: async () => ({ segment: current.segment + 1, sequence: 0 }), flush: async () => {} };
  const { length } = disk.steps;
  await takeSnapshot({ disk, current, writer, content });
  const sizes = disk.steps.slice(length).map((step) => (step.kind === "write" ? step.data.length : 0));
  expect(Math.max(...sizes)).toBeLessThan(400_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(rows * 100_000);
});
