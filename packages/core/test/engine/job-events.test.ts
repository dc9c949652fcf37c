import { expect, it } from "vitest";
import { startedJobsEvents } from "../../src/engine/job-events.ts";
import { createRig } from "../rig.ts";

it("says for each started job whether a start, a continuation or a retry caused it", async () => {
  const { client, start, events } = createRig();
  const id = await start("first");
  await client.continueChain({ id, typeName: "first", with: { typeName: "second", input: 1, blockers: [inline] } });
  await client.cancelChain({ id, blockers: "leave" });
  await client.retryChain({ id });
  const started = events.all.flatMap((event) => (event.type === "job-started" ? [event] : []));
  expect(started.map(({ typeName, cause }) => [typeName, cause])).toEqual([
    ["first", "start"],
    ["second", "continuation"],
    ["blocker", "start"],
    ["second", "retry"],
  ]);
});

const inline = { typeName: "blocker", input: 2 };

it("says that a chain is awaited whose continuation failed as it was written", () => {
  const job = { jobId: "next", chainId: "chain", typeName: "a", status: "failed", dueInMs: undefined } as const;
  const end = { type: "chain-failed", jobId: "next", chainId: "chain", typeName: "a" };
  expect(startedJobsEvents([job]).at(-1)).toEqual(end);
  expect(startedJobsEvents([job], ["chain"]).at(-1)).toEqual({ ...end, awaited: true });
});
