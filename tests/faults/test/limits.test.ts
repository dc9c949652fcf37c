import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "@chainwright/backends/fresh-database";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it, onTestFinished } from "vitest";
import { countTakeOvers, findBursts, findOverlaps, type Lease } from "../src/limits/judge-leases.ts";
import { killLimited } from "../src/limits/kill-limited.ts";
import { overlapError, prepareWitness, witnessOf } from "../src/limits/witness.ts";
import type { FaultTx, StorePlace } from "../src/store/open-store.ts";
import { prepareStore } from "../src/store/place.ts";
import { openHandle } from "../src/store/sqlite-handle.ts";
import { withPostgres } from "../src/store/with-postgres.ts";

const url = await findBackend("postgres");
/** The full length with CHAINWRIGHT_SCALE=full. */
const scale =
  process.env["CHAINWRIGHT_SCALE"] === "full"
    ? { processes: 8, keys: 2_000, kills: 200 }
    : { processes: 3, keys: 300, kills: 8 };
const limits = { timeout: 1_200_000 };

function onSqlite(): StorePlace & { readonly kind: "sqlite" } {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-limits-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" };
}

async function onPostgres(): Promise<StorePlace> {
  const database = await freshDatabase(url ?? "");
  onTestFinished(() => database.drop());
  return { kind: "postgres", url: database.url, schema: "limits", poolSize: 3, library: "pg" };
}

async function expectNoOverlap(place: StorePlace): Promise<void> {
  const report = await killLimited({ place, ...scale });
  if (process.env["CHAINWRIGHT_SCALE"] === "full") process.stdout.write(`${place.kind}: ${JSON.stringify(report)}\n`);
  expect(report.wrong).toEqual([]);
  expect(report.takeOvers).toBeGreaterThan(0);
  expect(report.openings).toBeGreaterThan(0);
}

describe("jobs under limits whose workers are killed", limits, () => {
  it("do not overlap, have one probe at a time, and complete once each, on SQLite", async () => {
    await expectNoOverlap(onSqlite());
  });

  it.skipIf(url === undefined)(
    "do not overlap, have one probe at a time, and complete once each, on Postgres",
    async () => {
      await expectNoOverlap(await onPostgres());
    },
  );
});

describe("the table that refuses overlaps", () => {
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];

  it("refuses a second row of a key until the first one is closed, on SQLite", async () => {
    const place = onSqlite();
    await prepareStore(place);
    await prepareWitness(place);
    const database = openHandle(place, 5_000);
    onTestFinished(() => database.close());
    const tx = database as unknown as FaultTx;
    const { began, ended } = witnessOf(place);
    await began(tx, first, "a");
    await began(tx, first, "a");
    await began(tx, second, "b");
    await expect(began(tx, third, "a")).rejects.toThrow(overlapError);
    await ended(tx, first);
    await began(tx, third, "a");
  });

  it.skipIf(url === undefined)("refuses a second row of a key until the first one is closed, on Postgres", async () => {
    const place = await onPostgres();
    await prepareStore(place);
    await prepareWitness(place);
    await withPostgres(place.kind === "postgres" ? place.url : "", async (client) => {
      const tx = client as unknown as FaultTx;
      const { began, ended } = witnessOf(place);
      await began(tx, first, "a");
      await began(tx, first, "a");
      await began(tx, second, "b");
      await expect(began(tx, third, "a")).rejects.toThrow(overlapError);
      await ended(tx, first);
      await began(tx, third, "a");
    });
  });
});

describe("the judge of leases", () => {
  const line = (what: Lease["what"], jobId: string, type = "alone", at = 0): Lease => {
    return { jobId, type, key: "k", what, attempt: 1, at };
  };

  it.each([
    ["nothing where one ends before the next", [line("leased", "a"), line("ended", "a"), line("leased", "b")], 0],
    ["nothing where a job is taken over", [line("leased", "a"), line("leased", "a"), line("ended", "a")], 0],
    ["nothing where a job waits for a retry", [line("leased", "a"), line("put back", "a"), line("leased", "b")], 0],
    ["two at the same time", [line("leased", "a"), line("leased", "b")], 1],
    [
      "a job beside one that keeps its place for a retry",
      [line("leased", "a", "held"), line("put back", "a", "held"), line("leased", "b", "held")],
      1,
    ],
  ])("finds %s", (_, leases, count) => {
    expect(findOverlaps(leases)).toHaveLength(count);
  });

  it("finds more beginnings within a time than the rate allows", () => {
    const leases = [0, 99, 100, 150].map((at) => line("leased", String(at), "rated", at));
    expect(findBursts(leases, { count: 2, perMs: 100 })).toEqual(["k: 3 began in 51 ms"]);
  });

  it("counts the leases that were taken over", () => {
    expect(countTakeOvers([line("leased", "a"), line("leased", "a"), line("put back", "a"), line("leased", "a")])).toBe(
      1,
    );
  });
});
