import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  type ChainwrightEvent,
} from "chainwright";
import type { ClaimedJob, LimitChange, StateAdapter } from "chainwright/adapter";
import { createVirtualClock } from "chainwright/testing";
import { expect, it, onTestFinished } from "vitest";

const jobTypes = defineJobTypes<{ work: { entry: true; input: string; output: null } }>();
const numbers = { failures: 1, withinMs: 60_000, openMs: 60_000 };
const breaker = { ...numbers, counts: () => true };
const limits = defineLimits({ jobTypes, limits: { smtp: { keys: { work: () => "main" }, concurrency: 9, breaker } } });
const main = { limit: "smtp", key: "main" } as const;

/** A store whose half-open key has a probe, which a worker has claimed that does nothing more. */
async function withDeadProbe(between: (store: StateAdapter) => Partial<StateAdapter> = () => ({})) {
  const clock = createVirtualClock();
  const store: StateAdapter = createInProcessStateAdapter();
  const stateAdapter: StateAdapter = { ...store, ...between(store) };
  const events: ChainwrightEvent[] = [];
  const observers = [(event: ChainwrightEvent) => void events.push(event)];
  const client = createClient({ stateAdapter, jobTypes, limits: [limits], clock, observers });
  const change = (changes: readonly LimitChange[]) => store.changeLimits(changes, { tx: undefined, now: clock.now() });
  const claim = async (limit: number): Promise<readonly ClaimedJob[]> => {
    const types = [{ typeName: "work", leaseMs: 1_000 }];
    const request = { outcomes: [], claim: { workerId: "dead", types, limit, limited: true } };
    return (await stateAdapter.exchange(request, { tx: undefined, now: clock.now() })).claimed;
  };
  await change([{ kind: "declare", limit: "smtp", rule: { concurrency: 9, rate: undefined }, codeVersion: undefined }]);
  const chains = await client.startChains({ items: ["a", "b"].map((input) => ({ typeName: "work", input }) as const) });
  const [first] = await claim(1);
  await change([{ kind: "failed", ...main, jobId: first?.id ?? "", fence: 1, breaker: numbers }]);
  await client.cancelChain({ id: chains[0]?.id ?? "" });
  await clock.advance(60_000);
  const [probe] = await claim(1);
  expect(probe?.limits).toEqual([{ ...main, isProbe: true }]);
  return { clock, client, events, chains };
}

it("a probe whose worker died ends the breaker when the worker that takes it over succeeds", async () => {
  const { clock, client, events, chains } = await withDeadProbe();
  const processors = [createProcessors({ client, jobTypes, processors: { work: async () => null } })];
  const worker = createWorker({ client, processors });
  onTestFinished(() => worker.stop());
  await worker.start();
  await clock.advance(5_000);
  expect((await client.getChain({ id: chains[1]?.id ?? "" }))?.status).toBe("completed");
  expect(events.filter(({ type }) => type.startsWith("limit-"))).toEqual([{ type: "limit-closed", ...main }]);
  expect((await client.listLimits({ limit: "smtp", key: "main" })).items[0]?.breaker).toBeUndefined();
});

it("explainJob says that one job at a time tries a key", async () => {
  const { client } = await withDeadProbe();
  // The probe's lease has not run out, so this worker takes no job.
  const processors = [createProcessors({ client, jobTypes, processors: { work: async () => null } })];
  const worker = createWorker({ client, processors });
  onTestFinished(() => worker.stop());
  await worker.start();
  const waiting = await client.startChain({ typeName: "work", input: "c" });
  expect((await client.explainChain({ id: waiting.id }))?.reason).toBe(
    'It waits, because the limit "smtp" of "main" was closed after 1 failure: one job at a time tries it, until one succeeds.',
  );
});

const isReport = ({ kind }: LimitChange): boolean => kind === "failed" || kind === "succeeded";

it("a stopping worker hands in an outcome whose report to the breaker is still under way", async () => {
  const { clock, client, chains } = await withDeadProbe((store) => ({
    changeLimits: (changes, options) =>
      changes.some(isReport) ? new Promise(() => undefined) : store.changeLimits(changes, options),
  }));
  const processors = [createProcessors({ client, jobTypes, processors: { work: async () => null } })];
  const worker = createWorker({ client, processors });
  await worker.start();
  await clock.advance(2_000);
  const id = chains[1]?.id ?? "";
  expect((await client.getChain({ id }))?.status).toBe("active");
  const stopped = worker.stop({ timeoutMs: 100 });
  await clock.advance(200);
  expect((await client.getChain({ id }))?.status).toBe("completed");
  await stopped;
});

it("a report that the store does not take is tried three times, reported once, and does not change the outcome", async () => {
  let tries = 0;
  const { clock, client, events, chains } = await withDeadProbe((store) => ({
    changeLimits: (changes, options) => {
      if (!changes.some(isReport)) return store.changeLimits(changes, options);
      tries += 1;
      return Promise.reject(new Error("no such table"));
    },
  }));
  const processors = [createProcessors({ client, jobTypes, processors: { work: async () => null } })];
  const worker = createWorker({ client, processors });
  onTestFinished(() => worker.stop());
  await worker.start();
  await clock.advance(5_000);
  expect((await client.getChain({ id: chains[1]?.id ?? "" }))?.status).toBe("completed");
  expect(tries).toBe(3);
  const failures = events.filter((event) => event.type === "upkeep-failed");
  expect(failures.map(({ chore, error }) => `${chore}: ${error.message}`)).toEqual(["limits: no such table"]);
});
