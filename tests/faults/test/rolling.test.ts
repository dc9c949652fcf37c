import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSaid, type Evidence, type JobRow } from "../src/rolling/evidence.ts";
import { judge, longestExchange, lostAttempts } from "../src/rolling/judge.ts";
import { installLastRelease } from "../src/rolling/last-release.ts";

const job = (id: string, changes: Partial<JobRow> = {}): JobRow => ({
  id,
  chain_id: id,
  step: 1,
  type: "loop",
  status: "completed",
  chain_status: "completed",
  attempt: 1,
  key: null,
  ...changes,
});

const effect = (id: string, changes: Partial<Evidence["effects"][number]> = {}): Evidence["effects"][number] => ({
  job_id: id,
  attempt: 1,
  asked: 0,
  release: "last",
  wrong: null,
  ...changes,
});

const lease = (id: string, attempt: number, worker: string, at = 1_000) => ({ job_id: id, attempt, worker, at });

/** A chain of two jobs, and one whose second attempt ended with its process, after its first one was to fail. */
const faultless: Evidence = {
  jobs: [job("a"), job("b", { chain_id: "a", step: 2, chain_status: null }), job("c", { attempt: 3 })],
  effects: [effect("a"), effect("b", { release: "this" }), effect("c", { attempt: 3, asked: 1 })],
  leases: [lease("a", 1, "w"), lease("b", 1, "w"), lease("c", 1, "w"), lease("c", 2, "dead"), lease("c", 3, "w")],
  said: readSaid([
    { name: "starter", lines: ["planned a 2", "planned c 1", "acknowledged a", "acknowledged c", "keyed c k"] },
    { name: "last-worker-1", lines: ["worker w", "exchange 5000 300"] },
  ]),
  killed: new Set(["dead"]),
  migration: { began: 5_100, ended: 5_200 },
  pause: { began: 2_000, ended: 3_000, typeName: "loop", releases: new Set(["last"]) },
};

it("finds nothing wrong in a run without a fault", () => {
  expect(judge(faultless)).toEqual([]);
  expect(lostAttempts(faultless)).toBe(1);
  expect(longestExchange(faultless)).toBe(300);
});

const said = (...lines: readonly string[]) => ({ said: readSaid([{ name: "process", lines }]) });

it.each<[string, Partial<Evidence>]>([
  ["an acknowledged chain is not in the store: 1, such as x", said("acknowledged x")],
  [
    "a chain has not completed: 1, such as loop c (open)",
    {
      jobs: faultless.jobs.map((each) =>
        each.id === "c" ? { ...each, status: "open", chain_status: "active" } : each,
      ),
    },
  ],
  ["a chain has not the jobs that were planned: 1, such as a: 1,2 of 3", said("planned a 3")],
  [
    "a job has completed without its effect: 1, such as loop b (completed)",
    { effects: [effect("a"), effect("c", { attempt: 3, asked: 1 })] },
  ],
  ["an effect is doubled: 1, such as b", { effects: [...faultless.effects, effect("b")] }],
  [
    "a handler got what it should not: 1, such as b in release last: a pool",
    { effects: [effect("a"), effect("b", { wrong: "a pool" }), effect("c", { attempt: 3, asked: 1 })] },
  ],
  ["an attempt was burnt: 1, such as c 2", { killed: new Set() }],
  ["an attempt was burnt: 1, such as c 2", { leases: [...faultless.leases, lease("c", 2, "w")] }],
  [
    "a job of a paused type was claimed: 1, such as a by a worker of last release",
    { leases: [...faultless.leases, lease("a", 1, "w", 2_500)] },
  ],
  ["a key has several chains: 1, such as k", said("keyed a k", "keyed c k", "keyed c l")],
  ["a process met an error: 1, such as process: {} twice", said("trouble {} twice")],
  [
    "an exchange took over a second because of the migration: 1, such as 1001 ms",
    said("exchange 4000 500", "exchange 5150 1001"),
  ],
])("finds that %s", (sentence, changes) => {
  expect(judge({ ...faultless, ...changes })).toEqual([sentence]);
});

it("does not blame the migration for slow exchanges on a machine where they were slow before", () => {
  expect(judge({ ...faultless, ...said("exchange 4000 600", "exchange 5150 1001") })).toEqual([]);
});

it("does not miss the chain of a start that was killed before it was acknowledged", () => {
  expect(judge({ ...faultless, ...said("planned x 2") })).toEqual([]);
});

it("installs the last release with its own packages, and the clients of this workspace", () => {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-last-release-"));
  try {
    const programs = installLastRelease(folder);
    const { resolve } = createRequire(join(programs, "operator-process.ts"));
    for (const name of ["chainwright", "@chainwright/postgres/pg", "@chainwright/sqlite/better-sqlite3"]) {
      expect(resolve(name).startsWith(join(folder, "node_modules"))).toBe(true);
    }
    expect(existsSync(resolve("pg"))).toBe(true);
    const { version } = JSON.parse(readFileSync(join(folder, "node_modules/chainwright/package.json"), "utf8")) as {
      version: string;
    };
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
