import { describe, expect, it } from "vitest";
import type { OverviewResponse } from "../src/protocol/overview.ts";
import type {
  ChainResponse,
  ChainsResponse,
  FailedResponse,
  JobResponse,
  ScheduleResponse,
} from "../src/protocol/reads.ts";
import { createStage, type Stage } from "./stage.ts";

async function read<Answer>(stage: Stage, path: string): Promise<Answer> {
  const response = await stage.get(path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as Answer;
}

describe("session", () => {
  it.each([
    ["viewer", []],
    ["operator", ["retry", "trigger", "cancel"]],
    ["admin", ["retry", "trigger", "cancel", "delete"]],
  ])("tells a %s what it may do", async (role, actions) => {
    const { get } = await createStage();
    const response = await get("-/session", { headers: { "x-test-role": role } });
    expect(await response.json()).toMatchObject({ role, name: "Ada", actions });
  });
});

describe("overview", () => {
  it("counts by type, the waiting first, and tells how long the oldest has been ready", async () => {
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

  it("knows rates once it has looked twice, and forgets none of what ended between", async () => {
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

  it("stops looking when nobody has asked for a while", async () => {
    const stage = await createStage();
    await read<OverviewResponse>(stage, "-/overview");
    expect(stage.clock.timers).toBe(1);
    await stage.clock.advance(70_000);
    expect(stage.clock.timers).toBe(0);
  });
});

describe("chains", () => {
  it("pages through all of them once, whatever the limit", async () => {
    const stage = await createStage();
    const ids = [];
    for (const id of ["1", "2", "3", "4", "5"]) ids.push((await stage.order(id)).id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ limit: "2", ...(cursor === undefined ? {} : { cursor }) });
      const page = await read<ChainsResponse>(stage, `-/chains?${query.toString()}`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids.toReversed());
  });

  it("filters by type, status, id of a chain or of a step, time and error text", async () => {
    const stage = await createStage();
    const failing = await stage.order("bad", 0);
    await stage.work();
    await stage.clock.advance(1_000);
    const mail = await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" } });
    const ids = async (query: string) =>
      (await read<ChainsResponse>(stage, `-/chains?${query}`)).items.map(({ id }) => id);
    const [, step] = (await stage.client.listChainJobs({ id: failing.id })).items;
    expect(await ids("typeName=mail.send")).toEqual([mail.id]);
    expect(await ids("typeName=mail.send&typeName=order.place")).toEqual([mail.id, failing.id]);
    expect(await ids("status=failed")).toEqual([failing.id]);
    expect(await ids(`id=${mail.id}`)).toEqual([mail.id]);
    expect(await ids(`id=${step?.id}`)).toEqual([failing.id]);
    expect(await ids(`from=${mail.createdAt.getTime()}`)).toEqual([mail.id]);
    expect(await ids(`until=${mail.createdAt.getTime()}&typeName=order.place`)).toEqual([failing.id]);
    expect(await ids("errorText=declined")).toEqual([failing.id]);
  });
});

describe("a search in a long history", () => {
  it("is cut where it would cost too much, says how far it came, and goes on from there", async () => {
    const stage = await createStage();
    const rare = await stage.client.startChain({ typeName: "stock.reserve", input: { sku: "old" } });
    await stage.clock.advance(1_000);
    const items = Array.from({ length: 1_000 }, () => ({ typeName: "mail.send" as const, input: { to: "a" } }));
    for (let batch = 0; batch < 21; batch += 1) await stage.client.startChains({ items });
    const first = await read<ChainsResponse>(stage, "-/chains?typeName=stock.reserve");
    expect(first).toMatchObject({ items: [], searchedTo: stage.clock.now() });
    const second = await read<ChainsResponse>(stage, `-/chains?typeName=stock.reserve&cursor=${first.nextCursor}`);
    expect(second.items.map(({ id }) => id)).toEqual([rare.id]);
    expect(second).not.toHaveProperty("nextCursor");
  });

  it("finds what has been open for long, behind all that has ended since", async () => {
    const stage = await createStage();
    const open = await stage.client.startChain({ typeName: "mail.send", input: { to: "a" } });
    await stage.clock.advance(1_000);
    const items = Array.from({ length: 1_000 }, () => ({ typeName: "mail.send" as const, input: { to: "a" } }));
    for (let batch = 0; batch < 21; batch += 1) {
      const started = await stage.client.startChains({ items });
      await stage.client.cancelChains({ items: started.map(({ id }) => ({ id })) });
    }
    const active = await read<ChainsResponse>(stage, "-/chains?status=active");
    expect(active.items.map(({ id }) => id)).toEqual([open.id]);
    expect(active).not.toHaveProperty("nextCursor");
    const other = await read<ChainsResponse>(stage, "-/chains?status=active&status=completed");
    expect(other).toMatchObject({ items: [], searchedTo: stage.clock.now() });
  });

  it("pages through what matches, whatever is filtered by", async () => {
    const stage = await createStage();
    const bad: string[] = [];
    for (const number of Array(12).keys()) {
      const { id } = await stage.order(`${number}`, number % 2);
      if (number % 2 === 0) bad.push(id);
      await stage.work();
      await stage.clock.advance(60_000);
    }
    const until = stage.clock.now();
    await stage.order("later", 0);
    await stage.work();
    for (const filter of ["status=failed", "errorText=was+declined", "status=failed&typeName=order.place"]) {
      const seen: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined;) {
        const query = `${filter}&from=${until - 8 * 60_000}&until=${until}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
        const page: ChainsResponse = await read<ChainsResponse>(stage, `-/chains?${query}`);
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(seen, filter).toEqual(bad.slice(2).toReversed());
    }
  });

  it("by time begins and ends near it", async () => {
    const stage = await createStage();
    const hours = 3_600_000;
    const ids: string[] = [];
    for (let hour = 0; hour < 10; hour += 1) {
      ids.push((await stage.order(String(hour))).id);
      await stage.clock.advance(hours);
    }
    const start = stage.clock.now() - 10 * hours;
    const range = `from=${start + 4 * hours}&until=${start + 6 * hours}`;
    for (const order of ["newest", "oldest"]) {
      const page = await read<ChainsResponse>(stage, `-/chains?${range}&order=${order}&limit=2`);
      expect(page.items.map(({ id }) => id).toSorted()).toEqual(ids.slice(4, 6));
    }
  });
});

describe("chain", () => {
  it("shows steps with payloads, blockers, errors and who waits for it", async () => {
    const stage = await createStage();
    const { id } = await stage.order("bad", 0);
    await stage.work();
    const answer = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(answer.chain).toMatchObject({ id, status: "failed", error: { name: "FatalError" } });
    expect(answer.input).toMatchObject({ kind: "value", value: { orderId: "bad" } });
    const [place, charge] = answer.steps.items;
    expect(place).toMatchObject({ typeName: "order.place", status: "completed", continuedAs: charge?.id });
    expect(charge?.errors[0]?.stack).toContain("was declined");
    expect(charge?.blockers.items[0]?.chain).toMatchObject({ typeName: "stock.reserve", status: "completed" });
    expect(answer.lastStep?.id).toBe(charge?.id);
    const reserve = charge?.blockers.items[0]?.chain.id ?? "";
    const { dependents } = await read<ChainResponse>(stage, `-/chain?id=${reserve}`);
    expect(dependents.items).toMatchObject([{ id: charge?.id, chainId: id, status: "failed" }]);
  });

  it("explains why an open step is not running", async () => {
    const stage = await createStage();
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" } });
    const { explanation } = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(explanation).toMatchObject({ status: "ready", ahead: 0, workers: [] });
    expect(explanation?.summary).toContain("no live worker");
  });

  it("leaves a large payload to the job's own answer", async () => {
    const stage = await createStage();
    const to = "x".repeat(100_000);
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to } });
    const answer = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(answer.steps.items[0]?.input).toEqual({ kind: "large", bytes: 100_009 });
    const { job } = await read<JobResponse>(stage, `-/job?id=${answer.steps.items[0]?.id}`);
    expect(job.input).toMatchObject({ kind: "value", value: { to } });
  });

  it("says that there is no such chain", async () => {
    const { get } = await createStage();
    const response = await get(`-/chain?id=${crypto.randomUUID()}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "chain-not-found" } });
  });
});

describe("failed", () => {
  it("puts together what failed alike, though ids and numbers differ", async () => {
    const stage = await createStage();
    for (const id of ["1", "2", "33"]) await stage.order(id, 0);
    await stage.work();
    const answer = await read<FailedResponse>(stage, "-/failed");
    expect(answer).toMatchObject({ looked: 3, total: 3 });
    expect(answer).not.toHaveProperty("nextCursor");
    expect(answer.groups).toHaveLength(1);
    expect(answer.groups[0]).toMatchObject({ typeName: "order.charge", errorName: "FatalError", count: 3 });
    expect(answer.groups[0]?.chainIds).toHaveLength(3);
  });
});

describe("schedule", () => {
  it("shows what is due, the soonest first", async () => {
    const stage = await createStage();
    for (const hours of [3, 1, 2]) {
      await stage.client.startChain({
        typeName: "mail.send",
        input: { to: `${hours}` },
        schedule: { afterMs: hours * 3_600_000 },
      });
    }
    const { items, total } = await read<ScheduleResponse>(stage, "-/schedule");
    const now = stage.clock.now();
    expect(items.map(({ dueAt }) => (dueAt - now) / 3_600_000)).toEqual([1, 2, 3]);
    expect(total).toBe(3);
  });
});
