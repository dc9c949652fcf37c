import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { outputOf, runProgram } from "./program.ts";
import { areThere, databasePath, jobStart, migratedStore, openStore } from "./store.ts";

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

it("refuses a store that a newer version made, in every call", async () => {
  const path = databasePath();
  await migratedStore({ path });
  const database = new Database(path);
  database.exec("update chainwright_meta set value = '999' where key = 'version'");
  database.close();
  const store = openStore({ path });
  for (const call of [
    () => store.migrate(),
    () => store.migrate({ dryRun: true }),
    () => store.start([{ starts: [jobStart()] }], {}),
    () => store.count({}),
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: "schema-too-new",
      message: expect.stringContaining("update the package") as string,
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
