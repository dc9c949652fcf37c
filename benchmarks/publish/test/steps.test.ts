import { expect, it } from "vitest";
import { stepsOf } from "../src/steps.ts";

interface SettingsModule {
  readSettings(args: readonly string[]): object | undefined;
}

it.each([...stepsOf("full", []), ...stepsOf("quick", [])])("$tool accepts $options", async ({ tool, options }) => {
  const settings = new URL(`../../${tool}/src/settings.ts`, import.meta.url);
  const { readSettings } = (await import(settings.href)) as SettingsModule;
  expect(readSettings(options)).toBeDefined();
});

it("keeps spaces in values", () => {
  const [memory] = stepsOf("quick", ["memory"]);
  expect(memory?.options[1]).toContain(",notify redis/ioredis,");
});

it("runs only the steps that are asked for, and refuses one that it does not have", () => {
  expect(stepsOf("full", ["peers"]).map(({ name }) => name)).toEqual(["peers"]);
  expect(() => stepsOf("full", ["peer"])).toThrow("--only must be of capacity, backlog");
});
