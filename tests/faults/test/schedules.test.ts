import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "@chainwright/backends/fresh-database";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it, onTestFinished } from "vitest";
import { judgeTicks } from "../src/schedules/judge-ticks.ts";
import { killTickers } from "../src/schedules/kill-tickers.ts";
import type { StorePlace } from "../src/store/open-store.ts";

const url = await findBackend("postgres");
/** 200 with CHAINWRIGHT_SCALE=full. */
const kills = process.env["CHAINWRIGHT_SCALE"] === "full" ? 200 : 5;
const limits = { timeout: 600_000 };

function onSqlite(): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-ticks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" };
}

async function onPostgres(): Promise<StorePlace> {
  const database = await freshDatabase(url ?? "");
  onTestFinished(() => database.drop());
  return { kind: "postgres", url: database.url, schema: "ticks", poolSize: 3, library: "pg" };
}

describe("schedules of one second whose processes are killed", limits, () => {
  it("have neither a hole nor a double on SQLite", async () => {
    const report = await killTickers({ place: onSqlite(), processes: 3, schedules: 10, kills });
    expect(report.wrong).toEqual([]);
    expect(report.ticks).toBeGreaterThan(40);
    expect(report.latestLagMs).toBeLessThan(30_000);
  });

  it.skipIf(url === undefined)("have neither a hole nor a double on Postgres", async () => {
    const report = await killTickers({ place: await onPostgres(), processes: 3, schedules: 10, kills });
    expect(report.wrong).toEqual([]);
    expect(report.ticks).toBeGreaterThan(40);
    expect(report.latestLagMs).toBeLessThan(30_000);
  });

  it.skipIf(url === undefined)(
    "50 that are due in the same second have one chain each, from 12 processes",
    async () => {
      const report = await killTickers({ place: await onPostgres(), processes: 12, schedules: 50, kills: 0 });
      expect(report.wrong).toEqual([]);
      expect(report.ticks).toBeGreaterThan(100);
    },
  );
});

describe("the judge of ticks", () => {
  const schedule = { id: "s", nextAt: 4_000, lastAt: 3_000 } as Parameters<typeof judgeTicks>[0]["schedule"];
  const tick = (at: number, chainId: string | undefined) => {
    return { scheduleId: "s", at, chainId, reason: undefined, madeAt: at };
  };

  it.each([
    ["nothing", [tick(3_000, "c"), tick(2_000, "b"), tick(1_000, "a")], []],
    ["a hole", [tick(3_000, "c"), tick(1_000, "a")], ["s: there is a hole between 1000 and 3000"]],
    ["a tick without a chain", [tick(3_000, undefined)], ["s: the tick of 3000 has no chain"]],
    ["a shared chain", [tick(3_000, "a"), tick(2_000, "a")], ["s: 2 ticks have 1 chains"]],
    ["an advance without a tick", [tick(2_000, "a")], expect.arrayContaining([expect.stringContaining("advanced")])],
  ])("finds %s", (_, ticks, expected) => {
    expect(judgeTicks({ schedule, ticks }, 1_000)).toEqual(expected);
  });
});
