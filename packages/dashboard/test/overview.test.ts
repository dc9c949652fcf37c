import { describe, expect, it } from "vitest";
import type { OverviewResponse } from "../src/protocol/overview.ts";
import { onLook } from "./on-look.ts";
import { createStage, read } from "./stage.ts";

describe("overview", () => {
  it("counts jobs by type, busiest types first, and reports how long the oldest job has been ready", async () => {
    const stage = await createStage();
    await stage.order("1");
    await stage.work();
    await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" } });
    await stage.clock.advance(5_000);
    const overview = await read<OverviewResponse>(stage, "-/overview");
    expect(overview.totals).toMatchObject({ ready: 1, completed: 3 });
    expect(overview.types[0]).toMatchObject({ typeName: "mail.send", oldestReadyMs: 5_000, workers: 0 });
    expect(overview.types[0]?.counts).not.toHaveProperty("oldestReadyMs");
    expect(overview.types.map(({ typeName }) => typeName)).toContain("order.charge");
  });

  it("shows the versions and pools that jobs wait in, with the workers that claim them", async () => {
    const stage = await createStage();
    const none = { scheduled: 0, running: 0 };
    expect((await read<OverviewResponse>(stage, "-/overview")).versions).toEqual([]);
    await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" } });
    await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" }, pool: "bulk" });
    await stage.clock.advance(5_000);
    const { versions, moreVersions } = await read<OverviewResponse>(stage, "-/overview");
    const mail = { typeName: "mail.send", version: 1, ready: 1, ...none, workers: 0, workerNames: [] };
    expect(versions).toEqual([mail, { ...mail, pool: "bulk" }]);
    expect(moreVersions).toBe(0);
  });

  it("reports rates after two looks and counts every job that ended between them", async () => {
    const stage = await createStage();
    await stage.order("0");
    await stage.work();
    expect((await read<OverviewResponse>(stage, "-/overview")).types[0]?.completedPerMinute).toBeUndefined();
    for (const id of ["1", "2", "3"]) await stage.order(id, 0);
    await stage.work();
    await stage.clock.advance(30_000);
    const { types, series } = await read<OverviewResponse>(stage, "-/overview");
    const charge = types.find(({ typeName }) => typeName === "order.charge");
    expect(charge?.failedPerMinute).toBeCloseTo(6, 1);
    expect(charge?.completedPerMinute).toBe(0);
    expect(charge?.duration).toMatchObject({ samples: 4 });
    expect(series.reduce((sum, point) => sum + point.failed, 0)).toBe(3);
  });

  it("shows what an action has done, also while a look from before it is under way", async () => {
    const stage = await createStage();
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" } });
    const counted = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<void>();
    const undo = onLook(stage.client, async (count) => {
      const counts = await count();
      counted.resolve();
      await reply.promise;
      return counts;
    });
    const early = read<OverviewResponse>(stage, "-/overview");
    await counted.promise;
    undo();
    expect((await stage.post("-/act", { action: "cancel", ids: [id] })).status).toBe(200);
    expect((await read<OverviewResponse>(stage, "-/overview")).totals).toMatchObject({ ready: 0, cancelled: 1 });
    reply.resolve();
    expect((await early).totals).toMatchObject({ ready: 1 });
    expect((await read<OverviewResponse>(stage, "-/overview")).totals).toMatchObject({ ready: 0, cancelled: 1 });
  });

  it("stops looking at the store when no one has asked for a while", async () => {
    const stage = await createStage();
    await read<OverviewResponse>(stage, "-/overview");
    expect(stage.clock.timers).toBe(1);
    await stage.clock.advance(70_000);
    expect(stage.clock.timers).toBe(0);
  });
});
