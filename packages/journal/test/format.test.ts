import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { readCurrent } from "../src/current.ts";
import { fileHeader, headerBytes, numberOf, toRecord } from "../src/format.ts";
import { replay } from "../src/replay.ts";
import { createFakeDisk } from "./fake-disk.ts";
import {
  featuresOf,
  formatsFolder,
  readFixtures,
  recordsIn,
  show,
  thisVersion,
  wantedFeatures,
} from "./format/fixture.ts";

const changed =
  "the format has changed: increase formatVersion, read the old one as well, and run packages/journal/test/fixtures/write-format.ts";

const versions = readdirSync(formatsFolder).filter((name) => /^v\d+$/.test(name));
const all = versions.flatMap((version) => readFixtures(version).map((each) => ({ version, ...each })));

it.each(all)("shows what it showed when it was written, in format $version: $name", async ({ files, shown }) => {
  expect(await show(files), changed).toEqual(shown);
});

it.each(all)("reads a folder to its end, in format $version: $name", async ({ files }) => {
  const disk = createFakeDisk(files);
  const current = await readCurrent(disk);
  if (current === undefined) throw new Error("it has no CURRENT");
  const { replayed, changes } = replay(disk, current);
  for await (const _ of changes);
  expect(replayed).toMatchObject({ tail: undefined });
  expect(replayed.rows).toBeGreaterThan(0);
});

it("keeps folders with every kind of row, a deletion, a snapshot and several segments", () => {
  const features = new Set(readFixtures(thisVersion).flatMap(({ files }) => [...featuresOf(files)]));
  expect([...features].sort(), changed).toEqual([...wantedFeatures].sort());
});

it("writes files and records as those that are kept", async () => {
  let records = 0;
  for (const { files } of readFixtures(thisVersion)) {
    const { storeId = "" } = (await readCurrent(createFakeDisk(files))) ?? {};
    for (const [name, data] of files) {
      if (name === "CURRENT") continue;
      const log = numberOf(name, "log-");
      const header =
        log === undefined
          ? fileHeader("snapshot", numberOf(name, "snap-") ?? 0, storeId)
          : fileHeader("log", log, storeId);
      expect(data.subarray(0, headerBytes), changed).toEqual(header);
      for (const { bytes, text, sequence, synced } of recordsIn(data)) {
        expect(toRecord(text, { sequence, synced }), changed).toEqual(bytes);
        records += 1;
      }
    }
  }
  expect(records).toBeGreaterThan(10);
});
