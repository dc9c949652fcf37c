import { findBackend } from "@chainwright/backends/vitest";
import Database from "better-sqlite3";
import { Pool } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { handWrittenOnPostgres } from "../src/floors/hand-written-postgres.ts";
import { handWrittenOnSqlite } from "../src/floors/hand-written-sqlite.ts";
import type { Claimed, HandWritten } from "../src/hand-written.ts";

const url = await findBackend("postgres");
const payload = JSON.stringify({ text: "x" });
const countEnded = "select count(*) as count from hand_written_history where attempt = 1 and ended_at >= started_at";

/** Each job is claimed once, and its end is in the history: otherwise the floor would do less than the library. */
async function endsAll(queue: HandWritten, ended: () => Promise<number>): Promise<void> {
  await queue.insertOne(payload);
  await queue.insertHundred(payload);
  expect(await queue.exchangeHundred()).toBe(100);
  expect(await ended()).toBe(0);
  expect(await queue.exchangeHundred()).toBe(1);
  expect(await ended()).toBe(100);
  expect(await queue.exchangeHundred()).toBe(0);
  expect(await ended()).toBe(101);
  await queue.insertHundred(payload);
  await queue.claimAndSettle(100);
  expect(await ended()).toBe(201);
}

it("ends every job of the queue that is written by hand on SQLite", async () => {
  const database = new Database(":memory:");
  const queue = handWrittenOnSqlite(database);
  const count = database.prepare<[], { count: number }>(countEnded);
  await endsAll(queue, async () => count.get()?.count ?? 0);
  database.close();
});

describe.skipIf(url === undefined)("on Postgres", () => {
  const pool = new Pool({ connectionString: url });
  afterAll(async () => {
    await pool.query("drop table if exists hand_written_job, hand_written_history");
    await pool.end();
  });

  it("ends every job of the queue that is written by hand", async () => {
    const queue = await handWrittenOnPostgres(
      (text) => pool.query(text),
      async (statement) => (await pool.query<Claimed>(statement)).rows,
    );
    await endsAll(queue, async () => Number((await pool.query<{ count: string }>(countEnded)).rows[0]?.count));
  });
});
