import { createClient, createInProcessStateAdapter, createWorker, defineJobTypes } from "chainwright";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createCallbackProcessors, createCallbackSecret } from "../src/callbacks/index.ts";
import { createGateway } from "../src/create-gateway.ts";
import { createGatewayKey } from "../src/keys.ts";
import { createShop } from "./callback-shop.ts";
import { createReceiver } from "./receiver.ts";

const tokenSecrets = ["a secret of the gateway, 32 characters and more"];
const secret = createCallbackSecret();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function createStage({ hosts }: { readonly hosts?: readonly string[] } = {}) {
  const { client, work } = createShop(createInProcessStateAdapter());
  ends.push(client.close);
  const receiver = await createReceiver(secret);
  ends.push(receiver.close);
  const rules = { hosts: hosts ?? [receiver.host], allowHttp: true, allowPrivate: true };
  const { secret: key, key: known } = createGatewayKey({
    name: "tenant-7",
    scopes: [{ types: ["*"], verbs: ["start", "work", "read", "admin"] }],
  });
  const gateway = createGateway({ client, keys: [known], tokenSecrets, callbacks: rules });
  ends.push(gateway.close);
  const who: (string | undefined)[] = [];
  const callbacks = createCallbackProcessors({
    client,
    ...rules,
    secrets: ({ by }) => {
      who.push(by);
      return [secret];
    },
  });
  const run = async (): Promise<void> => {
    const worker = createWorker({ client, processors: [work, callbacks] });
    await worker.start();
    ends.push(async () => await worker.stop());
  };
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await gateway.fetch(
      new Request(`http://gateway.test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const start = async (more: object, headers?: Record<string, string>) =>
    await post("/v1/chains", { chains: [{ typeName: "work", input: { fails: false }, ...more }] }, headers);
  return { client, receiver, run, who, post, start };
}

describe("a start with a callback", () => {
  it("has the URL told of the end, and says who asked for it", async () => {
    const { receiver, run, who, start } = await createStage();
    const { status, body } = await start({ callback: { url: receiver.url } });
    expect(status).toBe(201);
    await run();
    await receiver.count(1);
    const [started] = body["chains"] as readonly { readonly id: string }[];
    expect(receiver.received[0]?.event).toMatchObject({ type: "chain.completed", data: { chainId: started?.id } });
    expect(who).toEqual(["tenant-7"]);
  });

  it("adds none when it is repeated with its idempotency key", async () => {
    const { client, receiver, start } = await createStage();
    const again = { "idempotency-key": "order-1" };
    await start({ callback: { url: receiver.url } }, again);
    expect(await start({ callback: { url: receiver.url } }, again)).toMatchObject({ status: 200 });
    expect((await client.listChains({ typeName: "gateway.callback" })).items).toHaveLength(1);
  });

  it("has one for each chain of a request, also where two starts name the same chain", async () => {
    const { client, receiver, run, post } = await createStage();
    const item = { typeName: "work", input: { fails: false }, callback: { url: receiver.url } };
    const chains = [{ ...item, idempotencyKey: "a" }, { ...item, idempotencyKey: "a" }, item];
    expect(await post("/v1/chains", { chains })).toMatchObject({ status: 201 });
    expect((await client.listChains({ typeName: "gateway.callback" })).items).toHaveLength(2);
    await run();
    await receiver.count(2);
  });

  it("starts nothing when the URL is not allowed", async () => {
    const { client, receiver, start } = await createStage({ hosts: ["hooks.example.com"] });
    const refused = await start({ callback: { url: receiver.url } });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid-request" } } });
    expect((await client.listChains()).items).toEqual([]);
  });

  it("starts no callback by hand, because it would tell what the key may not read", async () => {
    const { client, receiver, post } = await createStage();
    const chain = await client.startChain({ typeName: "work", input: { fails: false } });
    const input = { chainId: chain.id, typeName: "work", url: receiver.url, format: "json" };
    for (const [typeName, given] of [
      ["gateway.callback", input],
      ["gateway.callback-delivery", { ...input, eventId: chain.id }],
    ] as const) {
      const refused = await post("/v1/chains", { chains: [{ typeName, input: given }] });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "unknown-job-type" } } });
    }
  });
});

it("a gateway without callbacks refuses them, and one whose client lacks their types is not created", async () => {
  const jobTypes = defineJobTypes<{ work: { entry: true; input: null; output: null } }>();
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  onTestFinished(client.close);
  const { secret: key, key: known } = createGatewayKey({ name: "x", scopes: [{ types: ["*"], verbs: ["start"] }] });
  const options = { client, keys: [known], tokenSecrets };
  expect(() => createGateway({ ...options, callbacks: { hosts: ["a.example"] } })).toThrow("callbackJobTypes");
  expect(() => createGateway({ ...options, callbacks: { hosts: [] } })).toThrow("hosts must be");
  const gateway = createGateway(options);
  onTestFinished(gateway.close);
  const chains = [{ typeName: "work", input: null, callback: { url: "https://a.example/" } }];
  const response = await gateway.fetch(
    new Request("http://gateway.test/v1/chains", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ chains }),
    }),
  );
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("has no callbacks")]);
});
