import { join } from "node:path";
import { expect, it } from "vitest";
import type { JournalDurability } from "../src/index.ts";
import { temporaryFolder } from "./backend.ts";
import { addAccident, noLoss, type Loss } from "./losses/level.ts";
import { lossOfKills } from "./losses/kills.ts";
import { lossOfPower } from "./losses/power.ts";
import { elsewhere, inThread, paces } from "./paces.ts";

/** CHAINWRIGHT_LOSSES=50 has so many accidents of each kind, and prints what they took: the figures of the guide *Without a database*. */
const given = process.env["CHAINWRIGHT_LOSSES"];
const accidents = Number(given ?? 2);
const syncMs = 4;

function report(what: string, loss: Loss): void {
  if (given !== undefined) process.stdout.write(`${what}: ${JSON.stringify(loss)}\n`);
}

const levels: readonly JournalDurability[] = ["full", { intervalMs: 10 }, { intervalMs: 50 }, "memory"];

it.each(levels)(
  "what is lost when the process is killed, with %j",
  { timeout: 60_000 + accidents * 10_000 },
  async (durability) => {
    const folder = temporaryFolder();
    const run = { folder: join(folder, "jobs"), notes: join(folder, "notes"), durability };
    const loss = await lossOfKills(run, accidents);
    report(`killed, ${JSON.stringify(durability)}`, loss);
    expect(loss.acknowledged).toBeGreaterThan(0);
    expect(loss.lost).toBe(durability === "memory" ? loss.acknowledged : 0);
  },
);

it.each(paces)("what is lost when the power fails, with full and syncs %s", { timeout: 60_000 }, async (how, pace) => {
  const loss = await lossOfPower({ durability: "full", pace, failures: accidents, syncMs });
  report(`power, full, syncs ${how}`, loss);
  expect(loss.acknowledged).toBeGreaterThan(0);
  expect(loss.lost).toBe(0);
});

it.each([10, 50])(
  "what is lost when the power fails, with { intervalMs: %s }",
  { timeout: 60_000 },
  async (intervalMs) => {
    const loss = await lossOfPower({ durability: { intervalMs }, pace: elsewhere, failures: accidents, syncMs });
    report(`power, intervalMs ${intervalMs}`, loss);
    expect(loss.acknowledged).toBeGreaterThan(0);
    // How many are lost depends on the load. They are the last ones.
    expect(loss.holes).toBe(0);
  },
);

it("what is lost when the power fails, with memory", { timeout: 60_000 }, async () => {
  const loss = await lossOfPower({ durability: "memory", pace: inThread, failures: accidents, syncMs });
  report("power, memory", loss);
  expect(loss.lost).toBe(loss.acknowledged);
});

it("counts what an accident took, and the time from the first of it", () => {
  const acknowledged = [
    { id: "a", at: 1 },
    { id: "b", at: 3 },
    { id: "c", at: 4 },
  ];
  const loss = addAccident(noLoss, { acknowledged, there: new Set(["a"]), at: 6 });
  expect(loss).toEqual({ accidents: 1, acknowledged: 3, lost: 2, mostLost: 2, mostLostMs: 3, holes: 0 });
  expect(addAccident(loss, { acknowledged, there: new Set(["c"]), at: 6 })).toMatchObject({
    accidents: 2,
    lost: 4,
    mostLostMs: 5,
    holes: 1,
  });
});
