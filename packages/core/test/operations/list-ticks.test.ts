import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

const hour = 3_600_000;

it("listTicks lists the ticks of one schedule page by page, or the latest of several on one page", async () => {
  const { client, clock } = createRig();
  const from = new Date(clock.now());
  for (const id of ["a", "b"]) {
    await client.createSchedule({ id, typeName: "idle", input: null, everyMs: hour, from });
  }
  await clock.advance(3 * hour);
  for (const id of ["a", "b"]) await client.backfillSchedule({ id, from, until: new Date(clock.now()) });
  const hoursOf = ({ items }: { readonly items: readonly { readonly scheduleId: string; readonly at: Date }[] }) =>
    items.map(({ scheduleId, at }) => `${scheduleId} ${(at.getTime() - from.getTime()) / hour}`);
  const first = await client.listTicks({ id: "a", limit: 2 });
  expect(hoursOf(first)).toEqual(["a 3", "a 2"]);
  expect(hoursOf(await client.listTicks({ id: "a", limit: 2, cursor: first.nextCursor }))).toEqual(["a 1", "a 0"]);
  const several = await client.listTicks({ ids: ["b", "a", "b", "none"], limit: 1 });
  expect(hoursOf(several)).toEqual(["b 3", "a 3"]);
  expect(several.nextCursor).toBeUndefined();
});

it.each([
  ["neither id nor ids", {}, "either id or ids; got none"],
  ["both id and ids", { id: "a", ids: ["b"] }, "either id or ids; got both"],
  ["a cursor with ids", { ids: ["a"], cursor: "1" }, "cursor must be left out with ids"],
])("listTicks refuses %s", async (_what, options, message) => {
  await expect(createRig().client.listTicks(options)).rejects.toThrow(message);
});
