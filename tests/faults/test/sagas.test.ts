import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "@chainwright/backends/fresh-database";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Effect } from "../src/sagas/effects.ts";
import { judgeSagas } from "../src/sagas/judge-sagas.ts";
import { killSagas } from "../src/sagas/kill-sagas.ts";
import type { StorePlace } from "../src/store/open-store.ts";

const url = await findBackend("postgres");
const isFull = process.env["CHAINWRIGHT_SCALE"] === "full";
/** The full length with CHAINWRIGHT_SCALE=full. */
const scale = isFull ? { processes: 6, kills: 200 } : { processes: 3, kills: 10 };

function onSqlite(): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-sagas-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" };
}

async function onPostgres(): Promise<StorePlace> {
  const database = await freshDatabase(url ?? "");
  onTestFinished(() => database.drop());
  const schema = `sagas_${randomUUID().replaceAll("-", "_")}`;
  return { kind: "postgres", url: database.url, schema, poolSize: 3, library: "pg" };
}

async function expectUndone(place: StorePlace): Promise<void> {
  const report = await killSagas({ place, ...scale });
  if (isFull) process.stdout.write(`${place.kind}: ${JSON.stringify(report)}\n`);
  expect(report.wrong).toEqual([]);
  expect(report.sagas.active).toBe(0);
  for (const status of ["completed", "failed", "cancelled"] as const)
    expect(report.sagas[status], status).toBeGreaterThan(0);
  expect(report.undone).toBeGreaterThan(0);
}

describe("sagas whose workers are killed", { timeout: 1_200_000 }, () => {
  it("complete, or each of their effects is undone once, on SQLite", async () => {
    await expectUndone(onSqlite());
  });

  it.skipIf(url === undefined)("complete, or each of their effects is undone once, on Postgres", async () => {
    await expectUndone(await onPostgres());
  });
});

describe("the judge of sagas", () => {
  const saga = "s";
  const line = (what: Effect["what"], effect: string, step?: number, jobId = `${what} ${effect}`): Effect => {
    return { what, saga, effect, jobId, step };
  };
  const done = [line("done", "a", 0), line("done", "b", 1)];
  const undone = [line("undone", "b"), line("undone", "a")];
  const told = line("told", "");

  it.each([
    ["nothing in a completed saga", "completed", done, 0],
    ["an effect of a completed saga that was undone", "completed", [...done, line("undone", "b")], 1],
    ["nothing in a stopped saga that was undone", "failed", [...done, ...undone, told], 0],
    ["an effect that was not undone", "failed", [...done, line("undone", "b"), told], 1],
    ["one that was undone twice", "failed", [...done, ...undone, line("undone", "a", undefined, "again"), told], 1],
    ["the wrong order", "cancelled", [...done, ...undone.toReversed(), told], 1],
    ["one that was done after it was undone", "cancelled", [...done, ...undone, line("done", "a", 0), told], 1],
    ["a stop that no one was told of", "failed", [...done, ...undone], 1],
    ["a stop that was told too early", "failed", [...done, told, ...undone], 1],
  ] as const)("finds %s", (_, status, effects, count) => {
    expect(judgeSagas([{ saga, status }], effects)).toHaveLength(count);
  });
});
