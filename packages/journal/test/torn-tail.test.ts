import { expect, it } from "vitest";
import { headerBytes, readHead, recordHeadBytes } from "../src/format.ts";
import { lengthWithoutRoom } from "../src/read-file.ts";
import { afterKill, createFakeDisk } from "./fake-disk.ts";
import { lostIn, openOn, work } from "./work.ts";

/** A journal whose process was killed, and where the records of its last segment begin. */
async function killed(roomBytes = 0) {
  const disk = createFakeDisk();
  const { store } = await openOn(disk, { snapshotBytes: 1_000_000, segmentBytes: 1_000_000, roomBytes: 0 });
  await work(disk, store, 3);
  const files = afterKill(disk.steps);
  const name =
    [...files.keys()]
      .filter((each) => each.startsWith("log-"))
      .sort()
      .at(-1) ?? "";
  const log = files.get(name) ?? Buffer.alloc(0);
  const begins: number[] = [];
  for (let at = headerBytes, head = readHead(log, at); head !== undefined; head = readHead(log, at)) {
    begins.push(at);
    at += recordHeadBytes + head.length;
  }
  const open = async (content: Buffer) => {
    let cut = 0;
    const there = createFakeDisk(new Map([...files, [name, Buffer.concat([content, Buffer.alloc(roomBytes)])]]));
    const opened = await openOn(there, { onCut: ({ bytes }) => (cut = bytes) });
    return { ...opened, cut: () => cut };
  };
  return { disk, log, begins, last: begins.at(-1) ?? 0, open };
}

const flipped = (content: Buffer, bit: number): Buffer => {
  const copy = Buffer.from(content);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
};

const rooms = [0, 700];

it.each(rooms)(
  "opens without the last record when it was cut short at any byte, and says how many bytes it has cut (room: %s bytes)",
  async (room) => {
    const { log, last, open } = await killed(room);
    const { store: whole } = await open(log);
    const rows = (await whole.count({})).reduce((sum, { count }) => sum + count, 0);
    expect(rows).toBeGreaterThan(0);
    for (let size = last; size < log.length; size += 1) {
      const { store, cut } = await open(log.subarray(0, size));
      expect(await lostIn(store, [])).toEqual([]);
      expect(cut()).toBe(lengthWithoutRoom(log.subarray(last, size)));
    }
  },
);

it.each(rooms)(
  "opens without the last record when any bit of it is another (room: %s bytes)",
  { timeout: 60_000 },
  async (room) => {
    const { log, last, open } = await killed(room);
    for (let bit = last * 8; bit < log.length * 8; bit += 1) {
      const { store, cut } = await open(flipped(log, bit));
      expect(await lostIn(store, [])).toEqual([]);
      expect(cut()).toBe(log.length - last);
    }
  },
);

it(
  "refuses to open when a bit of any byte before the last record is another, and says where",
  { timeout: 60_000 },
  async () => {
    const { log, begins, last, open } = await killed();
    expect(begins.length).toBeGreaterThan(3);
    for (let bit = 0; bit < last * 8; bit += 5) {
      const at = begins.findLast((begin) => begin * 8 <= bit) ?? 0;
      await expect(open(flipped(log, bit))).rejects.toMatchObject({ code: "journal-damaged", details: { at } });
    }
  },
);

it("refuses a folder without CURRENT, with a CURRENT that is damaged, and with a segment or a snapshot missing or of another store", async () => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk);
  await work(disk, store, 14);
  const files = disk.files();
  const other = createFakeDisk();
  await openOn(other).then(({ store: its }) => work(other, its, 14));
  expect([...files.keys()].some((name) => name.startsWith("snap-"))).toBe(true);
  const last = Math.max(...[...files.keys()].map((name) => Number(name.replace("log-", "")) || 0));
  const damaged = flipped(files.get("CURRENT") ?? Buffer.alloc(0), 100);
  const wrong = [new Map([...files, ["CURRENT", damaged] as const])];
  for (const name of files.keys()) {
    // Without its end it would be a log that has ended earlier.
    if (name === `log-${last}`) continue;
    wrong.push(new Map([...files].filter(([each]) => each !== name)));
    const foreign = [...other.files()].find(([each]) => each.startsWith(name.slice(0, 4)))?.[1] ?? Buffer.alloc(0);
    if (name !== "CURRENT") wrong.push(new Map([...files, [name, foreign] as const]));
  }
  for (const each of wrong)
    await expect(openOn(createFakeDisk(each))).rejects.toMatchObject({ code: "journal-damaged" });
});

it("refuses to open when a record is missing between two others", async () => {
  const { log, begins, open } = await killed();
  const [, second = 0, third = 0] = begins;
  const without = Buffer.concat([log.subarray(0, second), log.subarray(third)]);
  await expect(open(without)).rejects.toMatchObject({ code: "journal-damaged", details: { at: second } });
});

it("refuses to open when an earlier segment or the snapshot has lost its end", async () => {
  const disk = createFakeDisk();
  const { store, journal } = await openOn(disk, { segmentBytes: 1_000, snapshotBytes: 1_000_000 });
  await work(disk, store, 2);
  await journal.snapshot();
  await work(disk, store, 3, "q");
  const files = disk.files();
  const segments = [...files.keys()].filter((name) => name.startsWith("log-"));
  const names = [...segments.slice(0, -1), ...[...files.keys()].filter((name) => name.startsWith("snap-"))];
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    const content = files.get(name) ?? Buffer.alloc(0);
    const cut = new Map([...files, [name, content.subarray(0, content.length - 1)]]);
    await expect(openOn(createFakeDisk(cut))).rejects.toMatchObject({
      code: "journal-damaged",
      details: { file: name },
    });
  }
});
