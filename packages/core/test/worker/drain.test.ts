import {
  createClient,
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
} from "chainwright";
import { drain } from "chainwright/testing";
import { expect, it } from "vitest";

const jobTypes = defineJobTypes<{ note: { entry: true; input: string; output: string } }>();

it("drain waits for a worker that the store does not know yet", async () => {
  const state = createInProcessStateAdapter();
  const client = createClient({
    stateAdapter: { ...state, heartbeat: () => new Promise(() => undefined) },
    notifyAdapter: createInProcessNotifyAdapter(),
    jobTypes: [jobTypes],
  });
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const processors = createProcessors({
    client,
    jobTypes,
    processors: { note: { handler: ({ job }) => begun.then(() => job.input) } },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const { id } = await client.startChain({ typeName: "note", input: "kept" });
  let isDrained = false;
  const drained = drain({ client }).then(() => (isDrained = true));
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  begin();
  await drained;
  expect(await client.getChain({ typeName: "note", id })).toMatchObject({ status: "completed", output: "kept" });
  void worker.stop({ timeoutMs: 0 });
});
