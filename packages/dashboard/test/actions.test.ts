import { describe, expect, it } from "vitest";
import type { ActionResponse, PreviewResponse } from "../src/protocol/actions.ts";
import type { OverviewResponse } from "../src/protocol/overview.ts";
import type { ChainResponse } from "../src/protocol/reads.ts";
import type { ErrorResponse } from "../src/protocol/routes.ts";
import { createStage, type Stage } from "./stage.ts";

async function act(stage: Stage, body: object): Promise<ActionResponse> {
  const response = await stage.post("-/act", body);
  expect(response.status).toBe(200);
  return (await response.json()) as ActionResponse;
}

async function failedOrders(stage: Stage, ...orderIds: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const orderId of orderIds) ids.push((await stage.order(orderId, 0)).id);
  await stage.work();
  return ids;
}

const statusOf = async (stage: Stage, id: string) => (await stage.client.getChain({ id }))?.status;

describe("actions", () => {
  it("retries, triggers, cancels and deletes one or many", async () => {
    const stage = await createStage();
    const ids = await failedOrders(stage, "1", "2");
    expect(await act(stage, { action: "retry", ids })).toMatchObject({ done: 2, refused: 0 });
    expect(await statusOf(stage, ids[0] ?? "")).toBe("active");
    expect(await act(stage, { action: "cancel", ids, reason: "by hand" })).toMatchObject({ done: 2 });
    expect(await stage.client.getChain({ id: ids[0] ?? "" })).toMatchObject({ status: "cancelled", reason: "by hand" });
    const { deleted } = await act(stage, { action: "delete", ids });
    expect(deleted.toSorted()).toEqual(ids.toSorted());
    const mail = { typeName: "mail.send", input: { to: "a" }, schedule: { afterMs: 60_000 } } as const;
    const { id } = await stage.client.startChain(mail);
    await act(stage, { action: "trigger", ids: [id] });
    expect((await stage.client.listChainJobs({ id })).items[0]).toMatchObject({ status: "ready" });
  });

  it("pauses and resumes job types, which the overview shows with who paused them and why", async () => {
    const stage = await createStage();
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a" } });
    const pausedOf = async () => {
      const { types } = (await (await stage.get("-/overview")).json()) as OverviewResponse;
      return Object.fromEntries(types.map(({ typeName, paused }) => [typeName, paused]));
    };
    const reason = "the provider is down";
    const preview = await stage.post("-/preview", { action: "pause", ids: ["mail.send"] });
    expect(await preview.json()).toMatchObject({ done: 1, refused: 0 });
    expect(await stage.client.listPausedTypes()).toEqual([]);
    await act(stage, { action: "pause", ids: ["mail.send", "stock.reserve"], reason });
    expect(await pausedOf()).toMatchObject({
      "mail.send": { reason, by: "Ada" },
      "stock.reserve": { reason, by: "Ada" },
    });
    const chain = (await (await stage.get(`-/chain?id=${id}`)).json()) as ChainResponse;
    expect(chain.explanation?.summary).toContain('"mail.send" is paused by Ada until it is resumed');
    await act(stage, { action: "resume", ids: ["mail.send"] });
    expect((await pausedOf())["mail.send"]).toBeUndefined();
    expect(stage.audited).toMatchObject([
      {
        name: "Ada",
        action: "pause",
        ids: ["mail.send", "stock.reserve"],
        reason,
        done: ["mail.send", "stock.reserve"],
      },
      { name: "Ada", action: "resume", done: ["mail.send"] },
    ]);
  });

  it("refuses to pause a type that the client does not have, and reports it to audit", async () => {
    const stage = await createStage();
    const { results } = await act(stage, { action: "pause", ids: ["mail.send", "mail.sned"] });
    expect(results).toMatchObject([{ ok: true }, { ok: false, code: "unknown-job-type" }]);
    expect(stage.audited).toMatchObject([{ done: ["mail.send"], refused: [{ id: "mail.sned" }] }]);
  });

  it("performs the action on the others when one item is refused, and reports why", async () => {
    const stage = await createStage();
    const [failed = ""] = await failedOrders(stage, "1");
    const { id: active } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a" } });
    const missing = crypto.randomUUID();
    const { results } = await act(stage, { action: "retry", ids: [active, failed, missing] });
    expect(results).toMatchObject([
      { id: active, ok: false, code: "chain-not-retryable" },
      { id: failed, ok: true },
      { id: missing, ok: false, code: "chain-not-found" },
    ]);
  });

  it("continues after many refusals", async () => {
    const stage = await createStage();
    const [failed = ""] = await failedOrders(stage, "1");
    const missing = Array.from({ length: 30 }, () => crypto.randomUUID());
    expect(await act(stage, { action: "retry", ids: [...missing, failed] })).toMatchObject({ done: 1, refused: 30 });
  });

  it("deletes a chain that blocks another one only with cascade", async () => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    const chain = (await (await stage.get(`-/chain?id=${id}`)).json()) as ChainResponse;
    const blocker = chain.lastStep?.blockers.items[0]?.chain.id ?? "";
    const refused = await act(stage, { action: "delete", ids: [blocker] });
    expect(refused.results[0]).toMatchObject({ ok: false, code: "chain-referenced" });
    const { deleted } = await act(stage, { action: "delete", ids: [blocker], cascade: true });
    expect(deleted.toSorted()).toEqual([blocker, id].toSorted());
  });

  it("reports to audit who did what to which chains, and what was refused", async () => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    const missing = crypto.randomUUID();
    await act(stage, { action: "retry", ids: [id, missing] });
    expect(stage.audited).toMatchObject([
      { role: "admin", name: "Ada", action: "retry", done: [id], refused: [{ id: missing, code: "chain-not-found" }] },
    ]);
  });
});

describe("roles", () => {
  it.each([
    ["viewer", "retry"],
    ["viewer", "cancel"],
    ["viewer", "trigger"],
    ["viewer", "delete"],
    ["operator", "delete"],
  ])("a %s may not %s", async (role, action) => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    for (const path of ["-/act", "-/preview"]) {
      const response = await stage.post(path, { action, ids: [id] }, { "x-test-role": role });
      expect(response.status).toBe(403);
    }
    expect(await statusOf(stage, id)).toBe("failed");
    expect(stage.audited.every(({ done }) => done.length === 0)).toBe(true);
  });

  it("a viewer may not pause job types, and an operator may", async () => {
    const stage = await createStage();
    const pause = { action: "pause", ids: ["mail.send"] };
    for (const path of ["-/act", "-/preview"])
      expect((await stage.post(path, pause, { "x-test-role": "viewer" })).status).toBe(403);
    expect(await stage.client.listPausedTypes()).toEqual([]);
    expect((await stage.post("-/act", pause, { "x-test-role": "operator" })).status).toBe(200);
    expect(await stage.client.listPausedTypes()).toHaveLength(1);
  });

  it("refuses an unknown role", async () => {
    const stage = await createStage();
    for (const role of ["Admin", "", "constructor", "__proto__"]) {
      const response = await stage.get("-/session", { headers: { "x-test-role": role } });
      expect(response.status).toBe(500);
    }
  });
});

describe("edit", () => {
  const cents = [{ op: "replace", path: "/cents", value: 5 }];

  it("changes only the named values, and hidden values stay unchanged", async () => {
    const stage = await createStage({ redact: () => "hidden" });
    const [id = ""] = await failedOrders(stage, "1");
    await act(stage, { action: "retry", ids: [id], typeName: "order.charge", edit: cents });
    await stage.work();
    expect(await stage.client.getChain({ id })).toMatchObject({
      status: "completed",
      output: { card: expect.any(String) },
    });
  });

  it("is checked against the schema of the step and refused as a whole if invalid", async () => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    const edit = [{ op: "replace", path: "/cents", value: "five" }];
    const { results } = await act(stage, { action: "retry", ids: [id], edit });
    expect(results).toMatchObject([{ ok: false, code: "invalid-input" }]);
    expect(await statusOf(stage, id)).toBe("failed");
  });

  it("is refused for a chain that stopped at another type of step", async () => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    const { results } = await act(stage, { action: "retry", ids: [id], typeName: "order.place", edit: cents });
    expect(results).toMatchObject([{ ok: false, code: "job-type-mismatch" }]);
  });

  it.each([
    [{ op: "copy", from: "/card", path: "/orderId" }],
    [{ op: "move", from: "/card", path: "/orderId" }],
    [{ op: "test", path: "/card", value: "4" }],
    [{ op: "add", path: "orderId", value: 1 }],
  ])("refuses %j: it reads, or its path is invalid", async (operation) => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    expect((await stage.post("-/act", { action: "retry", ids: [id], edit: [operation] })).status).toBe(400);
  });

  it.each(["/__proto__/polluted", "/constructor/prototype/polluted", "/toString/polluted", "/orderId/x", "/missing/x"])(
    "changes only own properties of the input: %s",
    async (path) => {
      const stage = await createStage();
      const [id = ""] = await failedOrders(stage, "1");
      const edit = [{ op: "add", path, value: true }];
      const { results } = await act(stage, { action: "retry", ids: [id], edit });
      expect(results).toMatchObject([{ ok: false, code: "invalid-input" }]);
      expect({}).not.toHaveProperty("polluted");
      expect(Object.prototype.toString).not.toHaveProperty("polluted");
    },
  );
});

describe("preview", () => {
  it("returns what would happen and changes nothing", async () => {
    const stage = await createStage();
    const ids = await failedOrders(stage, "1", "2");
    const missing = crypto.randomUUID();
    const edit = [{ op: "replace", path: "/cents", value: 5 }];
    const response = await stage.post("-/preview", { action: "retry", ids: [...ids, missing], edit });
    const preview = (await response.json()) as PreviewResponse;
    expect(preview).toMatchObject({ done: 2, refused: 1 });
    expect(preview.inputs[0]).toMatchObject({ before: { value: { cents: 0 } }, after: { value: { cents: 5 } } });
    for (const id of ids) expect(await statusOf(stage, id)).toBe("failed");
    expect(stage.audited).toEqual([]);
  });

  it("names all chains that a cascade would delete", async () => {
    const stage = await createStage();
    const [id = ""] = await failedOrders(stage, "1");
    const chain = (await (await stage.get(`-/chain?id=${id}`)).json()) as ChainResponse;
    const blocker = chain.lastStep?.blockers.items[0]?.chain.id ?? "";
    const response = await stage.post("-/preview", { action: "delete", ids: [blocker], cascade: true });
    expect(((await response.json()) as PreviewResponse).deleted.toSorted()).toEqual([blocker, id].toSorted());
    expect(await statusOf(stage, id)).toBe("failed");
  });

  it("shows inputs after redact", async () => {
    const stage = await createStage({ redact: () => "hidden" });
    const [id = ""] = await failedOrders(stage, "1");
    const edit = [{ op: "replace", path: "/cents", value: 5 }];
    const response = await stage.post("-/preview", { action: "retry", ids: [id], edit });
    expect(((await response.json()) as PreviewResponse).inputs).toMatchObject([
      { before: { value: "hidden" }, after: { value: "hidden" } },
    ]);
  });
});

describe("bodies", () => {
  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["an unknown action", { action: "drop", ids: [crypto.randomUUID()] }],
    ["no ids", { action: "retry", ids: [] }],
    ["too many ids", { action: "retry", ids: Array.from({ length: 501 }, () => crypto.randomUUID()) }],
    ["ids that are none", { action: "retry", ids: ["1 or 1=1"] }],
    ["an unknown property", { action: "retry", ids: [crypto.randomUUID()], force: true }],
    ["a body that is nested too deep", `${"[".repeat(200)}${"]".repeat(200)}`],
    ["nothing", ""],
  ])("refuses a body with %s", async (_what, body) => {
    const { post, failures } = await createStage();
    const response = await post("-/act", body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as ErrorResponse).error.code).toBe("invalid-request");
    expect(failures).toEqual([]);
  });

  it("stops reading a body that is too large, even if its header claims less", async () => {
    const { dashboard } = await createStage();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const headers = { "content-type": "application/json", origin: "http://localhost", "x-chainwright-dashboard": "1" };
    const init = { method: "POST", headers, body: endless, duplex: "half" } as const;
    const response = await dashboard.fetch(new Request("http://localhost/-/act", init));
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(2_000_000);
  });
});
