import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { runAttack } from "../src/attack/run.ts";
import type { BackendName } from "../src/attack/run.ts";
import { shapes } from "../src/work/shapes.ts";

const postgres = await findBackend("postgres");
const backends: readonly BackendName[] = postgres === undefined ? ["better-sqlite3"] : ["better-sqlite3", "postgres"];

describe("workers, starters and servers killed at random", () => {
  it.each(backends)("lose nothing and do nothing twice on %s", { timeout: 300_000 }, async (backend) => {
    const { verdict, tally } = await runAttack({
      backend,
      against: "sources",
      seed: 1,
      scale: {
        chains: 150,
        kills: 4,
        serverKills: 1,
        minutes: 1,
        processes: 2,
        concurrency: 10,
        leaseMs: 1_000,
        delayMs: 40,
        backlog: 200,
        lifeMs: 1_500,
        shapes,
      },
      tell: () => undefined,
    });
    const violated = Object.entries(verdict.violations).filter(([, count]) => count > 0);
    expect(violated).toEqual([]);
    expect(tally.workerKills).toBeGreaterThan(0);
    expect(verdict.completedChains).toBeGreaterThan(0);
  });
});
