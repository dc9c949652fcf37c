import { mkdtempSync, openSync, closeSync, rmSync, writeSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findBackend } from "@chainwright/backends/vitest";
import { Client, Pool } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { postgresChecks } from "../src/doctor/postgres-checks.ts";
import { cli, type Given } from "./cli.ts";
import { fillShop } from "./shop.ts";
import { stores } from "./stores.ts";

const postgresUrl = await findBackend("postgres");
const folder = mkdtempSync(join(tmpdir(), "chainwright-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function doctor(url: string, args: readonly string[] = [], given: Given = {}) {
  const ran = await cli(["--store", url, "--json", "doctor", ...args], given);
  const found = ran.lines.map(
    (line) => JSON.parse(line) as { readonly check: string; readonly level: string; readonly problem: string },
  );
  return { ...ran, found };
}

/** What a check says about rows. */
function judged(name: string, row: Readonly<Record<string, unknown>>, tookMs = 1) {
  return postgresChecks.find((check) => check.name === name)?.judge([row], tookMs)[0];
}

describe("the doctor of SQLite", () => {
  const [sqlite] = stores;

  it("repairs a fault after a yes, and is red before", async () => {
    const store = await sqlite?.make();
    if (store === undefined) throw new Error("SQLite is a store");
    const shop = await fillShop(store);
    const file = store.url.slice("sqlite:".length);
    const database = new DatabaseSync(file);
    database.exec("delete from chainwright_open_job where job = (select min(job) from chainwright_open_job)");
    database.close();
    expect(await doctor(store.url)).toMatchObject({ code: 1 });
    const dry = await doctor(store.url, ["--repair", "--dry-run"]);
    expect(dry.found).toContainEqual(expect.objectContaining({ check: "chain-without-open-job", level: "red" }));
    expect(await doctor(store.url, ["--repair"], { replies: ["no"] })).toMatchObject({
      code: 1,
      questions: ["1 fault can be repaired. Repair? [y/N] "],
    });
    const repaired = await doctor(store.url, ["--repair"], { replies: ["yes"] });
    expect(repaired.found).toContainEqual(expect.objectContaining({ check: "chain-without-open-job", level: "fixed" }));
    expect(await doctor(store.url)).toMatchObject({ code: 0 });
    await shop.client.close();
    await store.close();
  });

  it("is red about a damaged file with --deep", async () => {
    const file = join(folder, "damaged.db");
    await cli(["--store", `sqlite:${file}`, "migrate"]);
    const database = new DatabaseSync(file);
    database.exec(
      "create table filler as select value as number, randomblob(1000) as bytes from json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]')",
    );
    database.exec("create index filler_bytes on filler (bytes)");
    database.exec("pragma wal_checkpoint(truncate)");
    database.close();
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.alloc(8_192, 0xff), 0, 8_192, statSync(file).size - 8_192);
    closeSync(handle);
    const { code, found } = await doctor(`sqlite:${file}`, ["--deep"]);
    expect(code).toBe(1);
    expect(found).toContainEqual(expect.objectContaining({ check: "integrity", level: "red" }));
  });
});

describe.skipIf(postgresUrl === undefined)("the doctor of Postgres", () => {
  it("is red about rights that are missing, and about fsync, which the server of the tests has off", async () => {
    const store = await stores[1]?.make();
    if (store === undefined) throw new Error("Postgres is a store");
    await store.stateAdapter.migrate();
    const pool = new Pool({ connectionString: postgresUrl });
    const role = `doctor_${process.pid}`;
    const schema = new URL(store.url).searchParams.get("schema") ?? "";
    await pool.query(`create role ${role} login password 'doctor'`);
    const url = new URL(store.url);
    url.username = role;
    url.password = "doctor";
    await pool.query(`grant usage on schema "${schema}" to ${role}`);
    const { code, found } = await doctor(url.href);
    expect(code).toBe(1);
    expect(found).toContainEqual(expect.objectContaining({ check: "rights", level: "red" }));
    const { out } = await cli(["--store", store.url, "migrate", "--role", role, "--json"]);
    for (const line of out.trim().split("\n")) {
      const { sql } = JSON.parse(line) as { readonly sql?: string };
      if (sql !== undefined) await pool.query(sql);
    }
    const granted = await doctor(url.href);
    expect(granted.found.filter(({ check }) => check === "rights")).toEqual([]);
    expect(granted.found.map(({ check }) => check)).toContain("engine");
    await pool.query(`drop owned by ${role}`);
    await pool.query(`drop role ${role}`);
    await pool.end();
    await store.close();
  });

  it("sees the session that holds the oldest snapshot, and one that is idle in a transaction", async () => {
    const holder = new Client({ connectionString: postgresUrl, application_name: "holder" });
    await holder.connect();
    await holder.query("begin isolation level repeatable read");
    const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pool = new Pool({ connectionString: postgresUrl });
    for (const name of ["horizon", "idle in transaction"]) {
      const sql = postgresChecks.find((check) => check.name === name)?.sql ?? "";
      const all = await pool.query<{ pid: number; application: string }>(sql.replace("limit 1", ""));
      const row = all.rows.find(({ pid }) => pid === rows[0]?.pid);
      expect(row).toMatchObject({ application: "holder" });
      expect(judged(name, { ...row })).toBeUndefined();
      expect(judged(name, { ...row, ms: 61_000 })).toMatchObject({
        level: "yellow",
        problem: expect.stringContaining("holder"),
      });
    }
    expect(judged("horizon", { ms: 901_000 })).toMatchObject({ level: "red" });
    await holder.end();
    await pool.end();
  });
});

describe("what the doctor says", () => {
  it.each([
    ["engine", { version: "CockroachDB CCL v24.1", number: "130000" }, "red"],
    ["engine", { version: "PostgreSQL 12.9 on x86", number: "120009" }, "red"],
    ["engine", { version: "PostgreSQL 16.1 on x86", number: "160001", citus: true }, "red"],
    ["engine", { version: "PostgreSQL 16.1 on x86", number: "160001", citus: false }, "green"],
    ["dead rows", { live: 10, dead: 100_001, vacuumed: null }, "yellow"],
    ["dead rows", { live: 50_000, dead: 100_001, vacuumed: null }, undefined],
    ["replication", { standbys: 0, waiting: 2, names: "b" }, "red"],
    ["connections", { used: 81, most: 100 }, "yellow"],
    ["clock", { now: 0 }, "red"],
    ["durability", { fsync: "on", pages: "on", commit: "off" }, "yellow"],
    ["durability", { fsync: "on", pages: "off", commit: "on" }, "red"],
  ])("of %s about %j is %s", (name, row, level) => {
    expect(judged(name, row)?.level).toBe(level);
  });

  it("of a clock that is two seconds off is yellow", () => {
    expect(judged("clock", { now: Date.now() - 2_000 })).toMatchObject({ level: "yellow" });
    expect(judged("clock", { now: Date.now() })).toBeUndefined();
  });
});
