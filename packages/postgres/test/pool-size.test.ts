import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { recordEvents } from "chainwright/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openPg, openPostgresJs, type Client } from "./clients.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

const url = await findBackend("postgres");

const libraries: readonly [string, (max: number) => Client<unknown>][] = [
  ["pg", (max) => openPg(url ?? "", max)],
  ["postgres.js", (max) => openPostgresJs(url ?? "", max)],
];

const jobTypes = defineJobTypes<{ long: { entry: true; input: "complete" | "prepare" | "nested"; output: number } }>();

describe.skipIf(url === undefined).each(libraries)("a worker with a small pool of %s", (name, open) => {
  const schema = `pool size ${name} ${process.pid}`;
  const leaseMs = 500;
  const ends: (() => Promise<unknown>)[] = [];
  let control: Client<unknown>;

  beforeAll(async () => {
    control = open(2);
    await createPostgresStateAdapter({ driver: control.driver(), schema }).migrate();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
    await control.execute(`truncate "${schema}".open_job, "${schema}".job`);
  });
  afterAll(async () => {
    await control.execute(`drop schema "${schema}" cascade`);
    await control.end();
  });

  /** Handlers whose transactions are open until their worker has renewed all leases twice. */
  const begin = async (max: number, concurrency: number) => {
    const pool = open(max);
    const stateAdapter = createPostgresStateAdapter({ driver: pool.driver(), schema });
    const events = recordEvents();
    const client = createClient({ stateAdapter, jobTypes, observers: [events.observer] });
    const renewed = async () => {
      const since = events.all.filter(({ type }) => type === "leases-renewed").length;
      await expect
        .poll(() => events.all.filter(({ type }) => type === "leases-renewed").length, {
          timeout: 20_000,
          interval: 10,
        })
        .toBeGreaterThanOrEqual(since + 2);
    };
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        long: async ({ job, prepare, complete }) => {
          if (job.input === "prepare") await prepare({ mode: "atomic" }, renewed);
          return complete(async () => {
            if (job.input === "complete") await renewed();
            if (job.input === "nested") await client.transaction(async () => {});
            return 1;
          });
        },
      },
    });
    const worker = createWorker({ client, processors: [processors], concurrency, leaseMs, pollIntervalMs: 50 });
    ends.push(
      () => pool.end(),
      () => client.close(),
      () => worker.stop({ timeoutMs: 1_000 }),
    );
    await worker.start();
    const run = async (input: "complete" | "prepare" | "nested") => {
      const chains = await client.startChains({
        items: Array.from({ length: concurrency }, () => ({ typeName: "long", input }) as const),
      });
      await Promise.all(chains.map((chain) => client.awaitChain(chain, { timeoutMs: 60_000 })));
    };
    return { events, run, worker };
  };

  it.each(["complete", "prepare"] as const)(
    "keeps the leases of handlers whose transactions, of %s, would take all connections",
    { timeout: 60_000 },
    async (step) => {
      const { events, run } = await begin(3, 5);
      await run(step);
      expect(events.all.filter(({ type }) => type === "lease-lost")).toEqual([]);
      expect(events.all.filter(({ type }) => type === "job-claimed")).toHaveLength(5);
    },
  );

  it("of two connections opens a transaction inside a handler's transaction", { timeout: 60_000 }, async () => {
    const { run } = await begin(2, 4);
    await run("nested");
  });

  it("of one connection reports what to do, and works", async () => {
    const { events, worker } = await begin(1, 4);
    expect(events.all.find(({ type }) => type === "pool-too-small")).toEqual({
      type: "pool-too-small",
      workerId: worker.id,
      connections: 1,
      concurrency: 4,
      leaseMs,
    });
  });

  it("of two connections reports nothing", async () => {
    const { events } = await begin(2, 4);
    expect(events.all.find(({ type }) => type === "pool-too-small")).toBeUndefined();
  });
});
