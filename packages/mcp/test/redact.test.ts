import type { Redact } from "@chainwright/dashboard";
import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { afterAll, expect, it } from "vitest";
import { ask } from "./agent.ts";
import { agentOf } from "./http.ts";

const jobTypes = defineJobTypes<{ "card.charge": { entry: true; input: { card: string }; output: null } }>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers: [] });
const chain = await client.startChain({ typeName: "card.charge", input: { card: "4111-1111" } });
afterAll(client.close);

const shownBy = async (redact: Redact): Promise<string> =>
  (await ask(await agentOf({ client, redact, onError: () => undefined }), "get_chain", { id: chain.id })).text;

it("agents see what a redact of the application returns", async () => {
  const text = await shownBy(() => ({ card: "a card" }));
  expect(text).toContain("a card");
  expect(text).not.toContain("4111");
});

it("agents see nothing of a payload whose redact throws", async () => {
  const text = await shownBy(() => {
    throw new Error("4111-1111 cannot be redacted");
  });
  expect(text).not.toContain("4111");
});
