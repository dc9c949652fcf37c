import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { isErasedClient } from "chainwright/adapter";
import { expect, it, onTestFinished } from "vitest";

const jobTypes = defineJobTypes<{ greet: { entry: true; input: null; output: null } }>();

it("a client has all calls of an erased one, also when another object wraps it", async () => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  onTestFinished(client.close);
  expect(isErasedClient(client)).toBe(true);
  expect(isErasedClient({ ...client })).toBe(true);
});

it("a value that lacks a call, or is no object, is none", async () => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  onTestFinished(client.close);
  expect(isErasedClient({ ...client, deleteSchedule: undefined })).toBe(false);
  for (const value of [undefined, null, "client", 1, {}, () => undefined]) expect(isErasedClient(value)).toBe(false);
});
