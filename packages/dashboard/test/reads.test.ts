import { describe, expect, it } from "vitest";
import type {
  ChainResponse,
  ChainsResponse,
  FailedResponse,
  JobResponse,
  ScheduleResponse,
} from "../src/protocol/reads.ts";
import { errorView, explanationView } from "../src/views.ts";
import { createStage, read } from "./stage.ts";

describe("session", () => {
  const onLimits = ["change-limit", "reset-limit", "pause-limit", "resume-limit"];
  const onSchedules = ["pause", "resume", "trigger", "edit", "reset"].map((verb) => `${verb}-schedule`);
  const both = [...onLimits, ...onSchedules];
  it.each([
    ["viewer", []],
    ["operator", ["retry", "trigger", "cancel", "send-signal", "pause", "resume", ...both]],
    ["admin", ["retry", "trigger", "cancel", "delete", "send-signal", "pause", "resume", ...both, "delete-schedule"]],
  ])("returns the actions that a %s may perform", async (role, actions) => {
    const { get } = await createStage();
    const response = await get("-/session", { headers: { "x-test-role": role } });
    expect(await response.json()).toMatchObject({ role, name: "Ada", actions });
  });
});

describe("chains", () => {
  it("returns every chain exactly once across pages, for any limit", async () => {
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

  it("filters chains by type, status, id of a chain or of a step, time and error text", async () => {
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
  it("stops at its row limit, reports how far it searched, and continues from there", async () => {
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

  it("finds a chain that has been open for long behind everything that has ended since", async () => {
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

  it("pages through all matches for every filter", async () => {
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

  it("searches only near the given time range", async () => {
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
  it("shows a chain's steps with payloads, blockers, errors and dependents", async () => {
    const stage = await createStage();
    const { id } = await stage.order("bad", 0);
    await stage.work();
    const response = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(response.chain).toMatchObject({ id, status: "failed", error: { name: "FatalError" } });
    expect(response.input).toMatchObject({ kind: "value", value: { orderId: "bad" } });
    const [place, charge] = response.steps.items;
    expect(place).toMatchObject({ typeName: "order.place", status: "completed", continuedAs: charge?.id });
    expect(charge?.errors[0]?.stack).toContain("was declined");
    expect(charge?.blockers.items[0]?.chain).toMatchObject({ typeName: "stock.reserve", status: "completed" });
    expect(response.lastStep?.id).toBe(charge?.id);
    const reserve = charge?.blockers.items[0]?.chain.id ?? "";
    const { dependents } = await read<ChainResponse>(stage, `-/chain?id=${reserve}`);
    expect(dependents.items).toMatchObject([{ id: charge?.id, chainId: id, status: "failed" }]);
  });

  it("shows the causes of an error that redact returns", async () => {
    const error = { attempt: 1, at: 0, workerId: "w", name: "Error", message: "Failed query", stack: undefined };
    const caused = { ...error, cause: { name: "Error", code: "23505", message: "duplicate key 4242" } };
    const owner = { typeName: "t", chainId: "c" };
    const shown = (redact: (value: unknown) => unknown) => errorView(caused, owner, { redaction: redact });
    expect(shown((value) => value).causes).toEqual(["Error [23505]: duplicate key 4242"]);
    expect(JSON.stringify(shown(() => ({ name: "Error", message: "hidden", stack: undefined })))).not.toContain("4242");
  });

  it("explains why an open step is not running, and redacts its last error", async () => {
    const explained = {
      id: "j",
      chainId: "c",
      step: 1,
      typeName: "t",
      status: "scheduled",
      pool: undefined,
      reason: "It is due.",
      tags: {},
      deduplicationKey: undefined,
      blockedBy: [],
      blockers: undefined,
      waitsUntil: undefined,
      workers: [],
    } as const;
    const none = {
      dueAt: undefined,
      leasedBy: undefined,
      leasedUntil: undefined,
      ahead: undefined,
      tick: undefined,
      limitedBy: [],
      paused: undefined,
    };
    const lastError = { attempt: 1, at: 0, workerId: "w", name: "Error", message: "card 4242", stack: undefined };
    const summary = "It is due. Attempt 1 failed: Error: card 4242.";
    const view = explanationView(
      { ...explained, ...none, summary, lastError },
      { typeName: "t", chainId: "c" },
      () => ({
        name: "Error",
        message: "hidden",
        stack: undefined,
      }),
    );
    expect(view.lastError?.message).toBe("hidden");
    expect(JSON.stringify(view)).not.toContain("4242");
  });

  it("shows which attempts did not count, and after which ones retry.when decided", () => {
    const failed = { attempt: 2, at: 0, workerId: "w", name: "Error", message: "busy", stack: undefined };
    const view = (error: typeof failed) =>
      errorView(error, { typeName: "t", chainId: "c" }, { redaction: (value) => value });
    expect(view(failed)).toMatchObject({ uncounted: false, decidedByWhen: false });
    expect(view(Object.assign({ uncounted: true, decidedBy: "when" }, failed))).toMatchObject({
      uncounted: true,
      decidedByWhen: true,
    });
  });

  it("explains why an open step is not running", async () => {
    const stage = await createStage();
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a@b" } });
    const { explanation } = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(explanation).toMatchObject({ status: "ready", ahead: 0, workers: [] });
    expect(explanation?.summary).toContain("no live worker");
  });

  it("leaves a large payload to the response for its job", async () => {
    const stage = await createStage();
    const to = "x".repeat(100_000);
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to } });
    const response = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(response.steps.items[0]?.input).toEqual({ kind: "large", bytes: 100_009 });
    const { job } = await read<JobResponse>(stage, `-/job?id=${response.steps.items[0]?.id}`);
    expect(job.input).toMatchObject({ kind: "value", value: { to } });
  });

  it("reports that a chain does not exist", async () => {
    const { get } = await createStage();
    const response = await get(`-/chain?id=${crypto.randomUUID()}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "chain-not-found" } });
  });
});

describe("failed", () => {
  it("groups failures whose messages differ only in ids and numbers", async () => {
    const stage = await createStage();
    for (const id of ["1", "2", "33"]) await stage.order(id, 0);
    await stage.work();
    const response = await read<FailedResponse>(stage, "-/failed");
    expect(response).toMatchObject({ looked: 3, total: 3 });
    expect(response).not.toHaveProperty("nextCursor");
    expect(response.groups).toHaveLength(1);
    expect(response.groups[0]).toMatchObject({ typeName: "order.charge", errorName: "FatalError", count: 3 });
    const page = await read<FailedResponse>(stage, `-/failed?group=${response.groups[0]?.key}`);
    expect(page.groups[0]?.chainIds).toHaveLength(3);
  });
});

describe("schedule", () => {
  it("shows scheduled jobs, the soonest first", async () => {
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
