import { describe, expect, it } from "vitest";
import { recentRuns, type Run } from "../src/live/run-times.ts";
import { createSamples } from "../src/live/samples.ts";
import type { OverviewResponse } from "../src/protocol/overview.ts";
import { createStage } from "./stage.ts";

const run = (typeName: string, endedAt: number, ms: number): Run => ({
  id: `${typeName} ${endedAt}`,
  typeName,
  endedAt,
  ms,
});

describe("run times", () => {
  it("are those of the jobs that ended since the previous sample, each counted once", () => {
    const samples = createSamples();
    const old = run("mail.send", 1_000, 9_000);
    const [first, second] = [run("mail.send", 6_000, 20), run("mail.send", 7_000, 40)];
    samples.add(5_000, {}, [old]);
    samples.add(10_000, {}, [second, first, old]);
    samples.add(15_000, {}, [second, first, old]);
    samples.add(20_000, {}, [run("order.ship", 18_000, 300), second]);
    expect(samples.series("mail.send")).toEqual([
      { at: 10_000, completed: 0, failed: 0, p50Ms: 40, p95Ms: 40 },
      { at: 15_000, completed: 0, failed: 0 },
      { at: 20_000, completed: 0, failed: 0 },
    ]);
    expect(samples.series().map(({ p50Ms }) => p50Ms)).toEqual([40, undefined, 300]);
  });

  it("include every job when a long time is drawn with fewer points", () => {
    const samples = createSamples();
    const looks = 150;
    for (let look = 0; look <= looks; look += 1) {
      // One slow job, in a sample that is not drawn as a point of its own.
      const runs = look === 74 ? [run("a", look * 5_000, 700)] : [];
      samples.add(look * 5_000, {}, runs);
    }
    const series = samples.series("a");
    expect(series.length).toBeLessThanOrEqual(60);
    expect(series.at(-1)?.at).toBe(looks * 5_000);
    expect(series.filter(({ p95Ms }) => p95Ms === 700)).toHaveLength(1);
  });

  it("are found before the start of a queue whose newest jobs all wait", async () => {
    const stage = await createStage();
    await stage.order("1");
    await stage.work();
    await stage.clock.advance(60_000);
    const items = Array.from({ length: 1_000 }, () => ({ typeName: "mail.send" as const, input: { to: "a" } }));
    for (let batch = 0; batch < 3; batch += 1) await stage.client.startChains({ items });
    await stage.clock.advance(5_000);
    const runs = await recentRuns(stage.client, await stage.client.countJobs(), stage.clock.now());
    expect(runs.map(({ typeName }) => typeName).toSorted()).toEqual(["order.charge", "order.place", "stock.reserve"]);
  });

  it("are part of the overview, for all types and for each", async () => {
    const stage = await createStage();
    const read = async () => (await (await stage.get("-/overview")).json()) as OverviewResponse;
    await read();
    await stage.order("1");
    await stage.work();
    await stage.clock.advance(6_000);
    const { types, series } = await read();
    expect(series.at(-1)).toMatchObject({ p50Ms: 0, p95Ms: 0, completed: 3 });
    const charge = types.find(({ typeName }) => typeName === "order.charge");
    expect(charge?.series.at(-1)).toMatchObject({ p50Ms: 0, completed: 1 });
  });
});
