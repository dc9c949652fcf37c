import { expect, it } from "vitest";
import { createWaitingWorkers } from "../../src/hints/waiting-workers.ts";

it("a worker knows at most a thousand of the workers that wait for a type, and itself among them", () => {
  const members = createWaitingWorkers();
  members.join("own");
  for (let index = 0; index < 100_000; index += 1) members.join(`forged-${index}`);
  expect(members.size()).toBe(1_000);
  expect(members.has("own")).toBe(true);
  members.leave("forged-7");
  members.join("real");
  expect(members.has("real")).toBe(true);
});
