import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
} from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDashboardAt } from "../src/create-dashboard.ts";
import type { AuditEntry, Redact } from "../src/options.ts";
import type { ActionResponse, PreviewResponse } from "../src/protocol/actions.ts";
import type { LimitsResponse } from "../src/protocol/limits.ts";
import type { OverviewResponse } from "../src/protocol/overview.ts";
import type { ChainResponse } from "../src/protocol/reads.ts";
import { requestHeader } from "../src/protocol/routes.ts";

const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: { tenant: string }; output: null } }>();
const breaker = { failures: 1, withinMs: 60_000, openMs: 60_000, counts: () => true };
const limits = defineLimits({
  jobTypes,
  limits: { tenant: { keys: { "mail.send": ({ tenant }) => tenant }, concurrency: 1, breaker } },
});

/** Starts mails of tenants; each runs until the test ends, except that those of "down" fail. */
async function createStage(tenants: readonly string[], redact?: Redact) {
  const clock = createVirtualClock();
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, jobTypes, limits: [limits], clock, observers: [] });
  const audited: AuditEntry[] = [];
  const dashboard = createDashboardAt(
    {
      client,
      redact,
      authorize: (request) => ({ role: request.headers.get("x-test-role") === "viewer" ? "viewer" : "operator" }),
      audit: (entry) => void audited.push(entry),
    },
    clock,
  );
  const { promise: ended, resolve: end } = Promise.withResolvers<null>();
  const send = async ({ job }: { readonly job: { readonly input: { readonly tenant: string } } }) => {
    if (job.input.tenant === "down") throw new Error("down");
    return await ended;
  };
  const mails = createProcessors({ client, jobTypes, processors: { "mail.send": send } });
  const worker = createWorker({ client, processors: [mails], concurrency: 10, codeVersion: 7 });
  await worker.start();
  onTestFinished(async () => {
    end(null);
    await worker.stop();
  });
  const items = tenants.map((tenant) => ({ typeName: "mail.send", input: { tenant } }) as const);
  const chains = items.length === 0 ? [] : await client.startChains({ items });
  await clock.advance(1_000);
  const fetch = async (path: string, init?: RequestInit) =>
    await dashboard.fetch(new Request(`http://localhost/-/${path}`, init));
  const read = async <Answer>(path: string) => (await (await fetch(path)).json()) as Answer;
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    await fetch(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: "http://localhost",
        [requestHeader]: "1",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  return { client, audited, chains, fetch, read, post, clock };
}

type Stage = Awaited<ReturnType<typeof createStage>>;

const keysOf = async (stage: Stage, query = "") =>
  (await stage.read<LimitsResponse>(`limits${query}`)).keys.map(
    ({ key, running, waiting }) => `${key} ${running} ${waiting}`,
  );
const acme = '["tenant","acme"]';
const act = async (stage: Stage, body: object) => {
  const response = await stage.post("act", body);
  return (await response.json()) as ActionResponse;
};

describe("limits", () => {
  it("are shown as declared and with their busiest keys, by running or by waiting, and busy ones alone", async () => {
    const stage = await createStage(["acme", "beta", "beta", "zoo", "zoo", "zoo"]);
    const { declared } = await stage.read<LimitsResponse>("limits");
    expect(declared).toMatchObject([
      { id: '["tenant"]', limit: "tenant", concurrency: 1, declared: { concurrency: 1 }, codeVersion: 7 },
    ]);
    expect(await keysOf(stage)).toEqual(["zoo 1 2", "beta 1 1", "acme 1 0"]);
    expect(await keysOf(stage, "?busy=true&order=waiting")).toEqual(["zoo 1 2", "beta 1 1"]);
    expect(await keysOf(stage, "?limit=tenant&key=acme")).toEqual(["acme 1 0"]);
    expect(await keysOf(stage, "?limit=other")).toEqual([]);
  });

  it("with many keys in use are read window by window, without skipping or repeating a key", async () => {
    const tenants = Array.from({ length: 620 }, (_, index) => `t${index}`);
    const stage = await createStage([]);
    for (const key of tenants) await stage.client.pauseLimit({ limit: "tenant", key });
    const first = await stage.read<LimitsResponse>("limits");
    expect(first).toMatchObject({ looked: 500, nextCursor: expect.any(String) });
    expect(first.keys).toHaveLength(100);
    const second = await stage.read<LimitsResponse>(`limits?cursor=${encodeURIComponent(first.nextCursor ?? "")}`);
    expect([second.looked, second.nextCursor]).toEqual([120, undefined]);
  });

  it("are named by a job that waits for one, and counted by its type", async () => {
    const stage = await createStage(["acme", "acme"]);
    const { id = "" } = stage.chains[1] ?? {};
    const { explanation } = await stage.read<ChainResponse>(`chain?id=${id}`);
    expect(explanation).toMatchObject({
      summary: expect.stringContaining('It waits for a place: "tenant" of "acme" has 1 of 1'),
      limitedBy: [{ id: acme, limit: "tenant", key: "acme", running: 1, waiting: 1, concurrency: 1 }],
    });
    const { types } = await stage.read<OverviewResponse>("overview");
    expect(types[0]).toMatchObject({ limited: 1, oldestLimitedMs: 1_000, counts: { ready: 1, running: 1 } });
    expect(types[0]?.counts).not.toHaveProperty("limited");
  });

  it("are changed, reset, paused and resumed by an operator, with an audit line for each", async () => {
    const stage = await createStage(["acme"]);
    const now = async () => (await stage.read<LimitsResponse>("limits")).keys[0];
    const change = { concurrency: 5, rate: { count: 10, perMs: 1_000 } };
    const body = { action: "change-limit", ids: [acme], change, reason: "a big customer" };
    const preview = (await (await stage.post("preview", body)).json()) as PreviewResponse;
    expect(preview).toMatchObject({ done: 1, refused: 0 });
    expect(await now()).toMatchObject({ concurrency: 1, isOverridden: false });
    await act(stage, body);
    expect(await now()).toMatchObject({ concurrency: 5, declared: { concurrency: 1 }, isOverridden: true });
    await act(stage, { action: "pause-limit", ids: [acme], change: { forMs: 60_000 } });
    expect(await now()).toMatchObject({ isPaused: true, opensAt: stage.clock.now() + 60_000 });
    await act(stage, { action: "resume-limit", ids: [acme] });
    await act(stage, { action: "reset-limit", ids: [acme] });
    expect(await now()).toMatchObject({ concurrency: 1, isOverridden: false, isPaused: false });
    await act(stage, { action: "pause-limit", ids: ['["tenant"]'] });
    expect((await stage.read<LimitsResponse>("limits")).declared).toMatchObject([{ isPaused: true }]);
    expect(stage.audited).toMatchObject([
      { action: "change-limit", ids: [acme], done: [acme], change, reason: "a big customer" },
      { action: "pause-limit", done: [acme], change: { forMs: 60_000 } },
      { action: "resume-limit", done: [acme] },
      { action: "reset-limit", done: [acme] },
      { action: "pause-limit", done: ['["tenant"]'] },
    ]);
  });

  it("show that failures have closed a key, and an operator opens it", async () => {
    const stage = await createStage(["down", "acme"]);
    const keyOf = async (name: string) =>
      (await stage.read<LimitsResponse>("limits")).keys.find(({ key }) => key === name);
    expect(await keyOf("down")).toMatchObject({ isPaused: false, breaker: { state: "open", failures: 1 } });
    expect(await keyOf("acme")).not.toHaveProperty("breaker");
    await stage.clock.advance(60_000);
    expect(await keyOf("down")).toMatchObject({ breaker: { failures: 2 } });
    const ids = ['["tenant","down"]'];
    expect((await act(stage, { action: "resume-limit", ids })).results).toMatchObject([{ ok: true }]);
    expect((await keyOf("down"))?.breaker).toBeUndefined();
    expect(stage.audited).toMatchObject([{ action: "resume-limit", done: ids }]);
  });

  it("refuse an action that their rules do not allow, and say why, while the others are done", async () => {
    const stage = await createStage(["acme"]);
    const ids = ['["tenat","acme"]', acme];
    const paused = await act(stage, { action: "pause-limit", ids });
    expect(paused.results).toMatchObject([{ code: "limit-not-found" }, { ok: true }]);
    const changed = await act(stage, { action: "change-limit", ids: [acme], change: { concurrency: 0 } });
    expect(changed.results).toMatchObject([
      { code: "invalid-input", message: expect.stringContaining("must be at least 1; got 0") },
    ]);
    expect(stage.audited).toMatchObject([{ done: [acme], refused: [{ code: "limit-not-found" }] }, { done: [] }]);
  });

  it("may not be changed by a viewer, who reads them", async () => {
    const stage = await createStage(["acme"]);
    const viewer = { "x-test-role": "viewer" };
    for (const action of ["change-limit", "reset-limit", "pause-limit", "resume-limit"])
      for (const path of ["act", "preview"])
        expect((await stage.post(path, { action, ids: [acme] }, viewer)).status).toBe(403);
    expect((await stage.fetch("limits", { headers: viewer })).status).toBe(200);
  });

  it.each(["tenant", "[]", '["tenant",1]', '["a","b","c"]', '["tenant","\\ud800"]', '["\\u0000"]'])(
    "refuse an id and a cursor that names none: %s",
    async (text) => {
      const stage = await createStage([]);
      expect((await stage.post("act", { action: "pause-limit", ids: [text] })).status).toBe(400);
      expect((await stage.fetch(`limits?cursor=${encodeURIComponent(text)}`)).status).toBe(400);
    },
  );

  it("do not show a key that redact hides: not in lists, sentences, ids and cursors, and no filter finds it", async () => {
    const stage = await createStage(["ada@example.com", "ada@example.com"], (value, { part, limit }) =>
      part === "limitKey" && limit === "tenant" ? "hidden" : value,
    );
    const { id = "" } = stage.chains[1] ?? {};
    expect((await stage.read<ChainResponse>(`chain?id=${id}`)).explanation).toMatchObject({
      summary: expect.stringContaining('"tenant" of "hidden" has 1 of 1'),
      limitedBy: [{ key: "hidden" }],
    });
    const { keys } = await stage.read<LimitsResponse>("limits");
    expect(keys).toMatchObject([{ key: "hidden", running: 1, waiting: 1 }]);
    expect(keys[0]).not.toHaveProperty("id");
    expect(await keysOf(stage, "?limit=tenant&key=ada%40example.com")).toEqual([]);
    for (let index = 0; index < 600; index += 1)
      await stage.client.pauseLimit({ limit: "tenant", key: `${index}@example.com` });
    const text = await (await stage.fetch("limits")).text();
    expect(text).not.toContain("@example.com");
  });
});
