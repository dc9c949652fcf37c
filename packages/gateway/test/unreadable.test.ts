import { createClient, createInProcessStateAdapter, defineJobTypes, defineVersions, stored } from "chainwright";
import { expect, it, onTestFinished } from "vitest";
import { createGateway } from "../src/create-gateway.ts";
import { createGatewayKey } from "../src/keys.ts";

const oldTypes = defineJobTypes<{ charge: { entry: true; input: { amount: number }; output: null } }>();
const newTypes = defineJobTypes<{ charge: { entry: true; input: { cents: number }; output: null } }>();
const cents = stored<{ amount: number }>().then(({ amount }) => ({ cents: amount * 100 }));
const versions = [defineVersions({ jobTypes: newTypes, inputs: { charge: cents } })];

it("shows and cancels a chain that a later release has started, whose input this one cannot read", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const client = createClient({ stateAdapter, jobTypes: oldTypes });
  const later = createClient({ stateAdapter, jobTypes: newTypes, versions });
  const { secret, key } = createGatewayKey({ name: "owner", scopes: [{ types: ["*"], verbs: ["read", "admin"] }] });
  const gateway = createGateway({ client, keys: [key], tokenSecrets: ["a secret of the gateway, of 32 characters"] });
  onTestFinished(async () => {
    await gateway.close();
    await Promise.all([client.close(), later.close()]);
    await stateAdapter.close();
  });
  const { id } = await later.startChain({ typeName: "charge", input: { cents: 1 } });
  const send = async (method: string, path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const body = method === "POST" ? { body: "{}" } : {};
    const url = `http://gateway.test/v1/chains/${id}${path}`;
    return await (await gateway.fetch(new Request(url, { method, headers, ...body }))).json();
  };
  expect(await send("GET", "")).toMatchObject({ id, typeName: "charge", status: "active" });
  expect(await send("POST", "/cancel")).toEqual({ id, cancelled: [id] });
  expect(await send("GET", "")).toMatchObject({ id, status: "cancelled" });
});
