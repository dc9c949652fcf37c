import type { Change } from "chainwright/change-log";
import { expect, it } from "vitest";
import type { Segments } from "../src/segments.ts";
import { createWriter } from "../src/writer.ts";

/** Segments on a disk whose syncs take far longer than a call. */
function slowSegments() {
  const records: (readonly Change[])[] = [];
  const segments: Segments = {
    number: () => 1,
    sequence: () => records.length,
    bytes: () => 0,
    countFrom: () => {},
    isFull: () => false,
    hasUnsynced: () => false,
    write: (text) => void records.push(JSON.parse(text) as readonly Change[]),
    sync: () => new Promise((resolve) => setTimeout(resolve, 5)),
    next: async () => 1,
    close: async () => {},
  };
  return { records, segments };
}

/** What a call of a client does between the end of a commit and the next one. */
async function manyTicks(): Promise<void> {
  for (let tick = 0; tick < 50; tick += 1) await Promise.resolve();
}

it("on a slow disk callers that have begun one after the other wait for the same syncs", async () => {
  const { records, segments } = slowSegments();
  const writer = createWriter({ segments, intervalMs: undefined, onWritten: () => {} });
  const call = async (name: string): Promise<void> => {
    for (let i = 0; i < 5; i += 1) {
      writer.append([["key", `${name}${i}`]]);
      await writer.settled();
      await manyTicks();
    }
  };
  const first = call("first");
  // The sync of the first call is under way, so this one gets another.
  await Promise.resolve();
  await Promise.resolve();
  await Promise.all([first, call("second")]);
  expect(records.map(({ length }) => length)).toEqual([1, 2, 2, 2, 2, 1]);
});
