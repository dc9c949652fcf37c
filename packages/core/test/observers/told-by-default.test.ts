import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { engineOf } from "../../src/client/internal.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { ChainwrightError } from "../../src/model/error.ts";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import type { Observer } from "../../src/ports/observer.ts";
import { drain } from "../../src/testing/drain.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: { text: string }; output: { length: number } } }>();

let told: string[] = [];
beforeEach(() => {
  told = [];
  vi.spyOn(console, "error").mockImplementation((text: string) => void told.push(text));
});
afterEach(() => vi.restoreAllMocks());

function createApp(options: { readonly observers?: readonly Observer[] } = {}) {
  const clock = createVirtualClock();
  const store = createInProcessStateAdapter({ clock });
  let isMigrated = true;
  const stateAdapter: typeof store = {
    ...store,
    exchange: (request, call) =>
      isMigrated
        ? store.exchange(request, call)
        : Promise.reject(new ChainwrightError("not-migrated", "there is no schema; call stateAdapter.migrate().")),
  };
  const client = createClient({ stateAdapter, jobTypes, clock, ...options });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      work: {
        retry: { maxAttempts: 2 },
        handler: async ({ job }) => ({ length: job.input.text.toUpperCase().length }),
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  const setMigrated = (value: boolean): void => {
    isMigrated = value;
  };
  return { clock, client, worker, setMigrated };
}

/** What an old version of the application stored. */
const wrong = { txt: "a" } as unknown as { text: string };

describe("without observers", () => {
  it("a failed attempt and a failed chain are reported once each on standard error, with error and frame", async () => {
    const { clock, client, worker } = createApp();
    await worker.start();
    const { id } = await client.startChain({ typeName: "work", input: wrong });
    await drain({ client });
    await clock.advance(2_000);
    await drain({ client });
    await worker.stop();
    await client.close();
    expect(told).toHaveLength(2);
    expect(told[0]).toContain(`Attempt 1 of job ${id} ("work") failed; the job runs again in`);
    expect(told[0]).toContain("TypeError: Cannot read properties of undefined");
    expect(told[0]).toMatch(/at .*told-by-default\.test\.ts/);
    expect(told[0]).not.toContain("attempt.ts");
    expect(told[1]).toContain(`its chain ${id} have failed after attempt 2`);
  });

  it("a worker that starts before migrate is reported, and so is its recovery", async () => {
    const { clock, worker, setMigrated } = createApp();
    setMigrated(false);
    await worker.start();
    await clock.advance(10_000);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("not-migrated: there is no schema; call stateAdapter.migrate()");
    setMigrated(true);
    await clock.advance(10_000);
    expect(told[1]).toContain("can use the store again");
    await worker.stop();
  });

  it("jobs that succeed are reported by nothing, and events that only observers would see are not made", async () => {
    const { clock, client, worker } = createApp();
    const engine = engineOf(client);
    const counts: Partial<Record<ChainwrightEvent["type"], number>> = {};
    const record = engine.events.record.bind(engine.events);
    vi.spyOn(engine.events, "record").mockImplementation((events, tx) => {
      for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
      record(events, tx);
    });
    await worker.start();
    await client.startChains({
      items: Array.from({ length: 50 }, () => ({ typeName: "work" as const, input: { text: "a" } })),
    });
    await drain({ client });
    await clock.advance(1_000);
    await worker.stop();
    expect(counts["chain-completed"]).toBe(50);
    expect(counts).not.toHaveProperty("attempt-ended");
    expect(counts).not.toHaveProperty("job-claimed");
    expect(counts).not.toHaveProperty("exchanged");
    expect(told).toEqual([]);
  });

  it("a wait that times out names the step and its last error, and so does explainChain", async () => {
    const { clock, client, worker } = createApp();
    await worker.start();
    const { id } = await client.startChain({ typeName: "work", input: wrong });
    await drain({ client });
    const wait = client.awaitChain({ id }, { timeoutMs: 10 }).catch((error: unknown) => error);
    await clock.advance(10);
    const error = await wait;
    expect(error).toMatchObject({ code: "await-timeout", cause: { name: "TypeError" } });
    const failure = "Attempt 1 failed: TypeError: Cannot read properties of undefined (reading 'toUpperCase').";
    expect(String(error)).toContain(`Its step "work" is scheduled. ${failure}`);
    const explained = await client.explainChain({ id });
    expect(explained?.summary).toBe(`${explained?.reason} ${failure}`);
    expect(explained?.reason).toMatch(/^It is due at/);
    expect(explained?.lastError).toMatchObject({ attempt: 1, name: "TypeError" });
    await worker.stop();
  });
});

describe("with an empty list of observers", () => {
  it("nothing is reported", async () => {
    const { clock, client, worker } = createApp({ observers: [] });
    await worker.start();
    await client.startChain({ typeName: "work", input: wrong });
    await drain({ client });
    await clock.advance(2_000);
    await worker.stop();
    await client.close();
    expect(told).toEqual([]);
  });
});

describe("a worker without handlers", () => {
  it("is refused", () => {
    const noTypes = defineJobTypes<{}>();
    const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: noTypes });
    const none = createProcessors({ client, jobTypes: noTypes, processors: {} });
    for (const processors of [[], [none]])
      expect(() => createWorker({ client, processors })).toThrow(
        "processors must have a handler for at least one job type; got none.",
      );
  });
});
