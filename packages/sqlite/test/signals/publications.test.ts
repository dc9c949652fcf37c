import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { databasePath, migratedStore } from "../store.ts";

it("deletes publications that are kept no longer, and no others, in passes with a limit", async () => {
  const path = databasePath();
  const store = await migratedStore({ path });
  const sent = { topic: "t", typeName: "a", signal: "s", payload: "1", context: undefined } as const;
  const item = (n: number, keepMs: number) => ({ ...sent, signalId: String(n), keepMs });
  await store.signal([item(1, 10), item(2, 10), item(3, 10), item(4, 10_000)], { now: 1_000 });
  const own = new Database(path);
  const kept = own.prepare<[], string>("select signal_id from chainwright_topic_signal order by position").pluck();
  const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 2 } as const;
  expect(await store.maintain(upkeep, { now: 2_000 })).toMatchObject({ more: true });
  expect(kept.all()).toHaveLength(2);
  await store.maintain(upkeep, { now: 2_000 });
  expect(kept.all()).toEqual(["4"]);
  own.close();
});
