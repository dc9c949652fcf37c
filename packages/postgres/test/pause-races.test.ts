import { findBackend } from "@chainwright/backends/vitest";
import type { JobStart } from "chainwright/adapter";
import { beforeEach, describe, expect, it } from "vitest";
import { job } from "./jobs.ts";
import { claimLimited, declare, limits, places } from "./limit-stores.ts";
import { openRaceStore } from "./overlaps/race-store.ts";

const url = await findBackend("postgres");
const tables = ["job", "open_job", "parked", "kept", "lane", "place", "pause"];
const pauses = { pauses: [{ typeName: "a", reason: undefined, by: undefined, forMs: undefined }], resume: [] };

/** A claim reads the pauses first and locks jobs by later statements, each of which sees what was committed before it. */
describe.skipIf(url === undefined)("claims under way when a type is paused", { timeout: 120_000 }, () => {
  const store = openRaceStore(url, `pause races ${process.pid}`);
  beforeEach(() => store().empty(tables));

  const underLimit = { limits: limits(["tenant", "acme"]) };
  it.each<{ readonly what: string; readonly details: Partial<JobStart>; readonly types: readonly string[] }>([
    { what: "job", details: {}, types: ["a", "b"] },
    { what: "urgent job", details: { priority: 10 }, types: ["a", "b"] },
    { what: "job of a claim with many names", details: {}, types: ["a", "b", ...names(40)] },
    { what: "job of another version", details: { version: 2 }, types: ["b", "a\u0001#2"] },
    { what: "job under a limit", details: underLimit, types: ["a", "b"] },
  ])("take no $what that starts after the pause, and the other types", async ({ details, types }) => {
    const { gates, stopped, other, empty } = store();
    await declare(other, { tenant: places(5) });
    const claim = async (by = stopped) => (await claimLimited(by, 5, { types })).map(({ id }) => id);
    const begin = async () => {
      const paused = job("a", details);
      const others = [job("b"), job("b", { schedule: { afterMs: 1 } })];
      await other.start([{ starts: [paused, ...others] }], {});
      return { paused: paused.id, others: others.map(({ id }) => id) };
    };
    await begin();
    const visited = await gates.visited(claim);
    expect(visited.length).toBeGreaterThan(3);
    for (const gate of visited) {
      await empty(tables);
      const { paused, others } = await begin();
      const late = job("a", details);
      const took: string[] = [];
      const pauseAndStart = async () => {
        await other.setPauses(pauses, {});
        await other.start([{ starts: [late] }], {});
        // A claim puts jobs under limits into their lanes, whether it may take them or not.
        took.push(...(await claim(other)));
      };
      await gates.overlap(async () => void took.push(...(await claim())), [{ gate, during: pauseAndStart }]);
      // Whether it has taken the job that was there before the pause depends on the gate.
      expect(took, gate).not.toContain(late.id);
      took.push(...(await claim(other)));
      expect(took.filter((id) => id !== paused).toSorted(), gate).toEqual(others.toSorted());
      await other.setPauses({ pauses: [], resume: ["a"] }, {});
      took.push(...(await claim(other)));
      expect(took.toSorted(), gate).toEqual([paused, late.id, ...others].toSorted());
    }
  });
});

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `type-${n}`);
}
