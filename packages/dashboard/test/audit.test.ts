import { expect, it } from "vitest";
import { createStage, type Stage } from "./stage.ts";
import { createDashboard } from "../src/create-dashboard.ts";
import type { AuditEntry } from "../src/options.ts";
import type { ActResponse } from "../src/protocol/actions.ts";
import type { ErrorResponse } from "../src/protocol/routes.ts";

async function failedOrders(stage: Stage, ...orderIds: readonly string[]): Promise<readonly string[]> {
  const chains = await Promise.all(orderIds.map(async (orderId) => await stage.order(orderId, 0)));
  await stage.work();
  return chains.map(({ id }) => id);
}

it.each(["retry", "cancel", "trigger", "delete"])("is told that a viewer tried to %s", async (action) => {
  const stage = await createStage();
  const [id = ""] = await failedOrders(stage, "1");
  const response = await stage.post("-/act", { action, ids: [id] }, { "x-test-role": "viewer" });
  expect(response.status).toBe(403);
  expect(stage.audited).toMatchObject([
    { role: "viewer", action, ids: [id], done: [], refused: [{ id, code: "forbidden" }], failed: false },
  ]);
});

it("is told of an action that is refused before it is tried", async () => {
  const stage = await createStage();
  const [id = ""] = await failedOrders(stage, "1");
  const edit = [{ op: "remove", path: "/card" }];
  const response = await stage.post("-/act", { action: "cancel", ids: [id], edit });
  expect(response.status).toBe(400);
  expect(stage.audited).toMatchObject([{ action: "cancel", done: [], refused: [{ id, code: "invalid-request" }] }]);
});

it("is told how an input was edited", async () => {
  const stage = await createStage();
  const [id = ""] = await failedOrders(stage, "1");
  const edit = [{ op: "replace", path: "/cents", value: 7 }];
  await stage.post("-/act", { action: "retry", ids: [id], edit });
  expect(stage.audited).toMatchObject([{ action: "retry", done: [id], edit }]);
});

it("is told what was done before the store failed, and the person too", async () => {
  const stage = await createStage();
  const chains = await Promise.all(["1", "2", "3"].map(async (orderId) => await stage.order(orderId)));
  const [first, second, third] = chains.map(({ id }) => id);
  // So many refusals that the rest is done one by one; the store fails at the third.
  const missing = Array.from({ length: 10 }, () => crypto.randomUUID());
  const { client } = stage;
  const cancelChains: typeof client.cancelChains = async (options) => {
    if (options.items.length === 1 && options.items[0]?.id === third) throw new Error("connection lost");
    return await client.cancelChains(options);
  };
  const failing = { ...client, cancelChains };
  const audited: AuditEntry[] = [];
  const failures: unknown[] = [];
  const dashboard = createDashboard({
    client: failing,
    authorize: () => ({ role: "admin" }),
    audit: (entry) => void audited.push(entry),
    onError: ({ error }) => void failures.push(error),
  });
  const response = await dashboard.fetch(
    new Request("http://localhost/-/act", {
      method: "POST",
      headers: { "content-type": "application/json", origin: "http://localhost", "x-chainwright-dashboard": "1" },
      body: JSON.stringify({ action: "cancel", ids: [...missing, first, second, third] }),
    }),
  );
  expect(response.status).toBe(500);
  const { error } = (await response.json()) as ErrorResponse;
  expect(error.message).toBe("The store failed after 2 were done. See the server log.");
  expect(failures).toMatchObject([{ message: "connection lost" }]);
  expect(audited).toMatchObject([{ failed: true, done: [first, second] }]);
  expect(audited[0]?.refused).toHaveLength(missing.length);
});

it("fails without taking back what was done, and the person and the log are told", async () => {
  const audit = () => {
    throw new Error("the audit log is full");
  };
  const stage = await createStage({ audit });
  const { id } = await stage.order("1");
  const response = await stage.post("-/act", { action: "cancel", ids: [id] });
  expect(response.status).toBe(200);
  expect((await response.json()) as ActResponse).toMatchObject({ done: 1, isAudited: false });
  expect(stage.failures).toMatchObject([{ method: "audit", error: { message: "the audit log is full" } }]);
  expect(await stage.client.getChain({ id })).toMatchObject({ status: "cancelled" });
});
