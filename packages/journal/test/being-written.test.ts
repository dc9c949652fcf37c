import { expect, it } from "vitest";
import { isBeingWritten } from "../src/being-written.ts";
import type { ReadDisk } from "../src/disk.ts";
import { toRecord } from "../src/format.ts";

const record = toRecord('[["key","a",1]]', { sequence: 7, synced: 6 });
const room = Buffer.alloc(1_000);
const torn = Buffer.concat([record.subarray(0, 20), room]);
const whole = Buffer.concat([record, room]);

/** A disk whose file is another one each time it is opened. */
function diskOf(contents: readonly Buffer[]): ReadDisk {
  let opened = 0;
  return {
    isShared: true,
    list: async () => ["log-1"],
    open: async () => {
      const data = contents[Math.min(opened, contents.length - 1)] ?? room;
      opened += 1;
      return {
        size: async () => data.length,
        read: async (length, at) => data.subarray(at, at + length),
        close: async () => {},
      };
    },
  };
}

it.each([
  ["is whole when it is read again", [whole], true],
  ["is whole later", [Buffer.concat([record.subarray(0, 30), room]), whole], true],
  ["stays as it is", [torn], false],
])(
  "a record that is not readable was being written only if it gets whole: one that %s",
  async (_, contents, expected) => {
    expect(await isBeingWritten(diskOf(contents), { name: "log-1", at: 0, seen: torn })).toBe(expected);
  },
);

it("what is readable was not being written, and no one else writes to a disk that is locked", async () => {
  const disk = diskOf([whole]);
  expect(await isBeingWritten(disk, { name: "log-1", at: 0, seen: whole })).toBe(false);
  const locked: ReadDisk = { list: disk.list, open: disk.open };
  expect(await isBeingWritten(locked, { name: "log-1", at: 0, seen: torn })).toBe(false);
});
