import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { afterPowerLoss, readDiskLog } from "./disk-log.ts";
import type { DiskRecord, Survival } from "./disk-log.ts";
import { findCompiler, preloadable } from "./preload.ts";
import { endOf, runProgram } from "./program.ts";

const skip = findCompiler() === undefined;
if (skip) process.stderr.write("power loss: skipped, because it needs Linux and a C compiler (cc)\n");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "chainwright-power-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs the program on a disk that records every write. */
async function record(library: string, durability: string): Promise<readonly DiskRecord[]> {
  const [work, aside] = [folder(), folder()];
  const log = join(aside, "log");
  const env = { ...process.env, LD_PRELOAD: preloadable("record-writes", aside), RECORD_FOLDER: work, RECORD_LOG: log };
  expect(await endOf(runProgram("power-loss", { env }, library, join(work, "jobs.db"), durability))).toBe(0);
  return readDiskLog(readFileSync(log));
}

interface Disk {
  /** Ids whose start was acknowledged, in that order. */
  readonly acknowledged: readonly string[];
  /** Those of them that are stored when the power is back. */
  readonly found: readonly string[];
  readonly integrity: unknown;
}

/** The power fails after this number of records and comes back; then the database is opened. */
function losePower(records: readonly DiskRecord[], count: number, survival: Survival): Disk {
  const before = records.slice(0, count);
  const path = folder();
  for (const [name, content] of afterPowerLoss(before, survival)) {
    // SQLite rebuilds the index of the log from the log.
    if (name.startsWith("jobs.db") && !name.endsWith("-shm")) writeFileSync(join(path, name), content);
  }
  const said = before.filter(({ kind, name }) => kind === "write" && name === "acknowledged");
  const acknowledged = said.map(({ data }) => data.toString().trim());
  const database = new Database(join(path, "jobs.db"));
  database.pragma("synchronous = off");
  try {
    const integrity: unknown = database.pragma("integrity_check", { simple: true });
    // With `normal`, the migration may be lost as well.
    const tables = database.prepare("select 1 from sqlite_schema where name = 'chainwright_open_job'").all();
    const ready = "select id from chainwright_job j join chainwright_open_job o on o.job = j.seq";
    const rows = tables.length === 0 ? [] : database.prepare<[], { id: string }>(ready).all();
    const there = new Set(rows.map(({ id }) => id));
    return { acknowledged, found: acknowledged.filter((id) => there.has(id)), integrity };
  } finally {
    database.close();
  }
}

/** Positions at which the power fails: right after acknowledgements, including the last one, and at random. */
function momentsOf(records: readonly DiskRecord[]): readonly number[] {
  const acknowledgements = records.flatMap(({ name }, index) => (name === "acknowledged" ? [index + 1] : []));
  const first = acknowledgements[0] ?? 0;
  const every = acknowledgements.filter((_, index) => index % 25 === 0);
  const anywhere = Array.from({ length: 15 }, () => first + Math.floor(Math.random() * (records.length - first)));
  return [...every, ...acknowledgements.slice(-1), ...anywhere];
}

const nothing: Survival = () => 0;
/** Some writes reach the disk completely, some not at all, some as a few sectors of 512 bytes. */
const anything: Survival = (bytes) => {
  const chance = Math.random();
  return chance < 0.4 ? 0 : chance < 0.7 ? bytes : Math.min(bytes, 512 * Math.floor(Math.random() * 9));
};

const libraries = ["better-sqlite3", "node:sqlite"];

it.skipIf(skip).each(libraries)(
  "full loses no acknowledged start when the power fails, on %s",
  { timeout: 120_000 },
  async (library) => {
    const records = await record(library, "full");
    for (const survival of [nothing, anything]) {
      for (const moment of momentsOf(records)) {
        const { acknowledged, found, integrity } = losePower(records, moment, survival);
        expect(integrity).toBe("ok");
        expect(found).toEqual(acknowledged);
      }
    }
  },
);

it.skipIf(skip).each(libraries)(
  "normal loses only the last starts when the power fails, and the database stays intact, on %s",
  { timeout: 120_000 },
  async (library) => {
    const records = await record(library, "normal");
    let lost = 0;
    for (const survival of [nothing, anything]) {
      for (const moment of momentsOf(records)) {
        const { acknowledged, found, integrity } = losePower(records, moment, survival);
        expect(integrity).toBe("ok");
        expect(found).toEqual(acknowledged.slice(0, found.length));
        lost += acknowledged.length - found.length;
      }
    }
    // Otherwise nothing was simulated.
    expect(lost).toBeGreaterThan(0);
  },
);
