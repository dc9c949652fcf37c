import { dirname } from "node:path";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { expect, it, onTestFinished, vi } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import { createSqliteStateAdapter } from "../src/index.ts";
import { databasePath } from "./store.ts";

// What someone reads who makes a mistake with SQLite that is usual in the first week.

const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: string; output: null } }>();
const mail = { typeName: "mail.send", input: "ada" } as const;

function open(path = databasePath()) {
  const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(path) });
  onTestFinished(() => stateAdapter.close());
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  return { stateAdapter, client };
}

async function openMigrated(path?: string) {
  const opened = open(path);
  await opened.stateAdapter.migrate();
  return opened;
}

it("a store that was not migrated says what to call", async () => {
  await expect(open().client.startChain(mail)).rejects.toThrow(
    "the tables are missing: call `await stateAdapter.migrate()` first",
  );
});

it("a folder that does not exist is named as the reason", () => {
  expect(() => open(`${dirname(databasePath())}/missing/jobs.db`)).toThrow(
    "the database cannot be opened: Cannot open database because the directory does not exist",
  );
});

it("a call without tx inside a transaction's callback is refused at once instead of waiting for ever", async () => {
  const { client } = await openMigrated();
  await expect(client.transaction(() => client.startChain(mail))).rejects.toThrow(
    "a call made inside a transaction's callback waits for that transaction to end, because SQLite has one writer: " +
      "pass the callback's `tx` to it",
  );
});

it("a tx is refused after its end", async () => {
  const { client } = await openMigrated();
  const tx = await client.transaction(async (own) => own);
  await expect(client.startChain({ ...mail, tx })).rejects.toMatchObject({ code: "closed" });
});

it("one file may be opened by two libraries at the same time", async () => {
  const path = databasePath();
  const { client } = await openMigrated(path);
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(path) });
  onTestFinished(() => stateAdapter.close());
  const other = createClient({ stateAdapter, jobTypes, observers: [] });
  const processors = createProcessors({ client: other, jobTypes, processors: { "mail.send": async () => null } });
  const worker = createWorker({ client: other, processors: [processors], pollIntervalMs: 5 });
  await worker.start();
  const { id } = await client.startChain(mail);
  await expect(other.awaitChain({ id })).resolves.toMatchObject({ status: "completed" });
  await worker.stop();
});

it("closing the store before the worker stops reports nothing", async () => {
  const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => told.mockRestore());
  const { stateAdapter } = await openMigrated();
  const client = createClient({ stateAdapter, jobTypes });
  const processors = createProcessors({ client, jobTypes, processors: { "mail.send": async () => null } });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  await client.awaitChain(await client.startChain(mail));
  await stateAdapter.close();
  await worker.stop();
  await client.close();
  expect(told).not.toHaveBeenCalled();
});
