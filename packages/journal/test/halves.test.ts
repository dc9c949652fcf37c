import { createClient, createInProcessNotifyAdapter, defineJobTypes } from "chainwright";
import { expect, it } from "vitest";
import { createWriter } from "../src/writer.ts";
import { createFakeDisk } from "./fake-disk.ts";
import { createFakeSegments } from "./fake-segments.ts";
import { elsewhere, paces } from "./paces.ts";
import { openOn } from "./work.ts";

/** No other segment and no snapshot begin meanwhile, and a segment has room for all. */
const large = { segmentBytes: 1_000_000, snapshotBytes: 1_000_000, roomBytes: 500_000 };

/** What a call of a client does between the end of a commit and the next one. */
async function manyTicks(): Promise<void> {
  for (let tick = 0; tick < 50; tick += 1) await Promise.resolve();
}

it("on a slow disk callers that have begun one after the other wait for the same syncs", async () => {
  // Its syncs take far longer than a call.
  const { records, segments } = createFakeSegments(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const writer = createWriter({
    segments,
    intervalMs: undefined,
    onWritten: () => {},
    isDiskBusy: () => false,
    pace: elsewhere,
  });
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

it.each(paces)("the callers of a client share each sync: %s", async (_, pace) => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk, { ...large, pace });
  const jobTypes = defineJobTypes<{ a: { entry: true; input: number; output: null } }>();
  const client = createClient({ stateAdapter: store, notifyAdapter: createInProcessNotifyAdapter(), jobTypes });
  const { length } = disk.steps;
  const [callers, starts] = [10, 20];
  const call = async (): Promise<void> => {
    for (let i = 0; i < starts; i += 1) await client.startChain({ typeName: "a", input: i });
  };
  await Promise.all(Array.from({ length: callers }, call));
  const kinds = disk.steps.slice(length).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "write")).toHaveLength(starts);
  expect(kinds.filter((kind) => kind === "sync")).toHaveLength(starts);
  await client.close();
});
