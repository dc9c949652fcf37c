import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "@chainwright/backends/fresh-database";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it, onTestFinished } from "vitest";
import { judgeRows } from "../src/batches/judge-rows.ts";
import { killBatches } from "../src/batches/kill-batches.ts";
import type { StorePlace } from "../src/store/open-store.ts";

const url = await findBackend("postgres");
const isFull = process.env["CHAINWRIGHT_SCALE"] === "full";
/** The full length with CHAINWRIGHT_SCALE=full. */
const scale = isFull ? { processes: 6, kills: 200 } : { processes: 3, kills: 10 };

function onSqlite(): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-batches-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" };
}

async function onPostgres(): Promise<StorePlace> {
  const database = await freshDatabase(url ?? "");
  onTestFinished(() => database.drop());
  const schema = `batches_${randomUUID().replaceAll("-", "_")}`;
  return { kind: "postgres", url: database.url, schema, poolSize: 5, library: "pg" };
}

async function expectRows(place: StorePlace): Promise<void> {
  const report = await killBatches({ place, ...scale });
  if (isFull) process.stdout.write(`${place.kind}: ${JSON.stringify(report)}\n`);
  expect(report.wrong).toEqual([]);
  expect(report.completed).toBeGreaterThan(0);
  expect(report.failed).toBeGreaterThan(0);
  expect(report.afterKills).toBeGreaterThan(0);
}

describe("batches whose workers are killed", { timeout: 1_200_000 }, () => {
  it("write the row of each completed job once, and none of another job, on SQLite", async () => {
    await expectRows(onSqlite());
  });

  it.skipIf(url === undefined)(
    "write the row of each completed job once, and none of another job, on Postgres",
    async () => {
      await expectRows(await onPostgres());
    },
  );
});

describe("the judge of rows", () => {
  const jobs = [
    { id: "a", status: "completed" },
    { id: "b", status: "failed" },
  ];

  it.each([
    ["nothing where the completed job has its row", jobs, ["a"], 0],
    ["a row that is lost", jobs, [], 1],
    ["a row that is there twice", jobs, ["a", "a"], 1],
    ["a row of a job that failed", jobs, ["a", "b"], 1],
    ["a row of no job", jobs, ["a", "c"], 1],
    ["a job that has not ended", [{ id: "a", status: "open" }], [], 1],
  ] as const)("finds %s", (_, given, rows, count) => {
    expect(judgeRows(given, rows)).toHaveLength(count);
  });
});
