import { createClient, defineJobTypes } from "chainwright";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createSqliteStateAdapter } from "../src/index.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import { databasePath } from "./store.ts";

const jobTypes = defineJobTypes<{ a: { entry: true; input: null; output: null } }>();

it("finds and deletes failures that a process of the release before has left behind when it retried or deleted a chain", async () => {
  const path = databasePath();
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(path) });
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  await client.startChain({ typeName: "a", input: null });
  const database = new DatabaseSync(path);
  database.exec(
    "insert into chainwright_failure (job, id, failed_at, type_name, kind) select seq, id, 1, 'a', 'k' from chainwright_job",
  );
  database.exec(
    "insert into chainwright_failure (job, id, failed_at, type_name, kind) values (77, 'gone', 1, 'a', 'k')",
  );
  database.close();
  const kinds = async (repair: boolean) =>
    (await client.doctor({ repair })).findings.map(({ kind, status }) => `${kind} ${status}`);
  expect(await kinds(false)).toEqual(["stopped-without-job repairable", "stopped-without-job repairable"]);
  expect(await kinds(true)).toEqual(["stopped-without-job repaired", "stopped-without-job repaired"]);
  expect(await kinds(false)).toEqual([]);
  await client.close();
});
