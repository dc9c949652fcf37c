import { openSmallDisk } from "@chainwright/backends/small-disk";
import type { SmallDisk } from "@chainwright/backends/small-disk";
import { findBackend } from "@chainwright/backends/vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deedsWithout } from "../src/attack/deed-names.ts";
import { runAttack } from "../src/attack/run.ts";
import type { AttackReport, BackendName } from "../src/attack/run.ts";
import { shapes } from "../src/work/shapes.ts";

const postgres = await findBackend("postgres");
const backends: readonly BackendName[] = postgres === undefined ? ["better-sqlite3"] : ["better-sqlite3", "postgres"];

function attack(backend: BackendName, disk?: SmallDisk): Promise<AttackReport> {
  return runAttack({
    backend,
    disk,
    against: "sources",
    seed: 1,
    scale: {
      chains: 150,
      kills: 4,
      serverKills: disk === undefined ? 1 : 0,
      minutes: 1,
      processes: 2,
      concurrency: 10,
      leaseMs: 1_000,
      delayMs: 40,
      backlog: 200,
      lifeMs: 1_500,
      shapes,
      deeds: deedsWithout(undefined),
    },
    tell: () => undefined,
  });
}

function expectWithstood({ verdict, tally }: AttackReport): void {
  const violated = Object.entries(verdict.violations).filter(([, count]) => count > 0);
  expect(violated).toEqual([]);
  expect(tally.workerKills).toBeGreaterThan(0);
  expect(verdict.completedChains).toBeGreaterThan(0);
}

describe("workers, starters and servers killed at random", () => {
  it.each(backends)("lose nothing and do nothing twice on %s", { timeout: 300_000 }, async (backend) => {
    expectWithstood(await attack(backend));
  });
});

/** It takes Linux and the right to mount. */
function canHaveSmallDisks(): boolean {
  const disk = openSmallDisk(1);
  disk?.close();
  return disk !== undefined;
}

describe.skipIf(!canHaveSmallDisks())("a disk that is full from time to time", () => {
  let disk: SmallDisk | undefined;
  beforeAll(() => {
    disk = openSmallDisk(400);
  });
  afterAll(() => disk?.close());

  it.each(backends)("loses nothing and does nothing twice on %s", { timeout: 300_000 }, async (backend) => {
    const report = await attack(backend, disk);
    expectWithstood(report);
    expect(report.tally.disksFull).toBeGreaterThan(0);
  });
});
