import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { migrateToNext } from "./next-release.ts";
import { outputOf, runProgram } from "./program.ts";
import { migrations, tablesOf } from "../src/schema.ts";
import { areThere, databasePath, jobStart, migratedStore, openStore } from "./store.ts";

const newest = migrations(tablesOf("chainwright_")).length;

/** The whole schema, without the places of its pages. */
function schemaOf(path: string): readonly unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare("select type, name, sql from sqlite_schema order by name").all();
  } finally {
    database.close();
  }
}

it("lists with dryRun what migrate then runs, and writes nothing", async () => {
  const path = databasePath();
  const store = openStore({ path });
  const listed = await store.migrate({ dryRun: true });
  expect(schemaOf(path)).toEqual([]);
  expect(listed.length).toBeGreaterThan(10);
  expect(await store.migrate()).toEqual(listed);
});

it("makes the same schema when the listed statements are run by hand", async () => {
  const [path, byHand] = [databasePath(), databasePath()];
  const listed = await openStore({ path }).migrate();
  const database = new Database(byHand);
  for (const statement of listed) database.exec(statement);
  database.close();
  expect(schemaOf(byHand)).toEqual(schemaOf(path));
  expect(await openStore({ path: byHand }).migrate()).toEqual([]);
});

it("does nothing the second time", async () => {
  const store = await migratedStore();
  expect(await store.migrate()).toEqual([]);
  expect(await store.migrate({ dryRun: true })).toEqual([]);
});

it(
  "runs once and completely when eight processes begin it at the same time on a missing file",
  { timeout: 60_000 },
  async () => {
    const path = databasePath();
    const outputs = await Promise.all(Array.from({ length: 8 }, () => outputOf(runProgram("migrate", {}, path))));
    const counts = outputs.map(Number).sort((a, b) => a - b);
    expect(counts.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(counts[7]).toBe((await openStore().migrate({ dryRun: true })).length);
  },
);

it("is asked for by every call before it, and none of them writes", async () => {
  const path = databasePath();
  const store = openStore({ path });
  const start = jobStart();
  await expect(store.start([{ starts: [start] }], {})).rejects.toMatchObject({ code: "not-migrated" });
  await expect(store.getChains([start.id], {})).rejects.toMatchObject({ code: "not-migrated" });
  await openStore({ path }).migrate();
  // What was refused before works afterwards, on the same adapter.
  expect(await areThere(store, [start])).toEqual([false]);
  await store.start([{ starts: [start] }], {});
  expect(await areThere(store, [start])).toEqual([true]);
});

it("leaves a store alone that a newer version has migrated, and can use it", async () => {
  const path = databasePath();
  const store = await migratedStore({ path });
  migrateToNext(path);
  expect(await store.migrate({ contract: true })).toEqual([]);
  expect(await store.schema()).toEqual({ version: newest + 1, newest, compatibleFrom: 1, contractPending: false });
  const start = jobStart();
  await store.start([{ starts: [start] }], {});
  expect(await areThere(openStore({ path }), [start])).toEqual([true]);
});

it("removes nothing while a worker of an older version is alive, and says which", async () => {
  const path = databasePath();
  const store = await migratedStore({ path });
  const beat = { workerId: "w", name: "old worker", typeNames: ["a"], concurrency: 1, holds: 0 };
  await store.heartbeat({ ...beat, aliveForMs: 60_000 }, {});
  const refusal = expect.objectContaining({ code: "schema-in-use", details: { workers: ["old worker"] } }) as Error;
  expect(() => migrateToNext(path, { contract: true })).toThrow(refusal);
  expect(await store.schema()).toMatchObject({ version: newest, compatibleFrom: 1 });
  await store.heartbeat({ ...beat, aliveForMs: 0 }, {});
  migrateToNext(path, { contract: true });
  expect(await store.schema()).toMatchObject({ version: newest + 1, compatibleFrom: newest + 1 });
});

it("refuses a store from which a newer version has removed what this one uses, in every call", async () => {
  const path = databasePath();
  await migratedStore({ path });
  migrateToNext(path, { contract: true });
  const store = openStore({ path });
  for (const call of [
    () => store.migrate(),
    () => store.migrate({ dryRun: true }),
    () => store.start([{ starts: [jobStart()] }], {}),
    () => store.count({}),
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: "schema-too-new",
      message: expect.stringContaining("upgrade the package") as string,
    });
  }
});

it("asks to be run when the store is older than the library", async () => {
  const path = databasePath();
  await migratedStore({ path });
  const database = new Database(path);
  database.exec("update chainwright_meta set value = '0' where key = 'version'");
  database.close();
  const store = openStore({ path });
  await expect(store.count({})).rejects.toMatchObject({ code: "not-migrated" });
});
