import { equal, holds, match, only } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import type { AppFixture } from "./fixture.ts";
import { behaviours, behavioursWith } from "./group.ts";
import type { Handlers } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";

/** Handlers that note which worker ran what. */
function noting(worker: string, begun: string[]): Handlers {
  return {
    work: ({ job, continueWith }) => {
      begun.push(`${worker}: ${String(job.input)}`);
      return job.input === "two steps" ? continueWith({ typeName: "next", input: "second" }) : "done";
    },
    next: ({ job }) => {
      begun.push(`${worker}: ${String(job.input)}`);
      return "done";
    },
  };
}

async function ended({ client, clock, notify }: AppFixture, id: string): Promise<void> {
  const wait = inTime("it ends", client.awaitChain({ id }));
  await (notify === undefined ? leapUntil(clock, 1_000, wait) : wait);
}

export const poolsCases = behaviours("pools", {
  "a worker runs the jobs of the pools that it serves, and no others": async (fixture) => {
    const { client } = fixture;
    const begun: string[] = [];
    await fixture.work(noting("plain", begun));
    await fixture.work(noting("gpu", begun), { pools: ["gpu"] });
    await fixture.work(noting("both", begun), { pools: ["big", "gpu 2"] });
    const chains = await client.startChains({
      items: [
        { typeName: "work", input: "1", pool: "gpu" },
        { typeName: "work", input: "2" },
        { typeName: "work", input: "3", pool: "big" },
        { typeName: "work", input: "4", pool: "gpu 2" },
        { typeName: "work", input: "5", pool: null },
      ],
    });
    for (const { id } of chains) await ended(fixture, id);
    equal("each its own", begun.toSorted(), ["both: 3", "both: 4", "gpu: 1", "plain: 2", "plain: 5"]);
    const first = chains[0]?.id ?? "";
    match("read", await client.getJob({ id: firstJobIdOf({ id: first }) }), { pool: "gpu" });
  },

  "a worker may serve pools and jobs without one": async (fixture) => {
    const begun: string[] = [];
    await fixture.work(noting("all", begun), { pools: ["gpu", null, "gpu"] });
    const chains = await fixture.client.startChains({
      items: [
        { typeName: "work", input: "1", pool: "gpu" },
        { typeName: "work", input: "2" },
      ],
    });
    for (const { id } of chains) await ended(fixture, id);
    equal("both", begun.toSorted(), ["all: 1", "all: 2"]);
    match("listed", only("one worker", await fixture.client.listWorkers()), { pools: ["gpu", null] });
  },

  "the next step inherits the pool, also where a caller continues the chain": async (fixture) => {
    const { client } = fixture;
    const begun: string[] = [];
    const { id } = await client.startChain({ typeName: "work", input: "two steps", pool: "gpu" });
    const idle = await client.startChain({ typeName: "idle", input: 1, pool: "gpu" });
    await client.continueChain({ id: idle.id, typeName: "idle", with: { typeName: "work", input: "after idle" } });
    await fixture.work(noting("plain", begun));
    await fixture.work(noting("gpu", begun), { pools: ["gpu"] });
    await ended(fixture, id);
    await ended(fixture, idle.id);
    equal("in the pool", begun.toSorted(), ["gpu: after idle", "gpu: second", "gpu: two steps"]);
    const pools = (await client.listChainJobs({ id })).items.map(({ pool }) => pool);
    equal("read", pools, ["gpu", "gpu"]);
  },

  "the next step may name another pool, or leave the pool with null": async (fixture) => {
    const { client } = fixture;
    const begun: string[] = [];
    await fixture.work(noting("plain", begun));
    await fixture.work(noting("cpu", begun), { pools: ["cpu"] });
    await fixture.work(
      {
        work: ({ job, continueWith }) =>
          continueWith({ typeName: "next", input: "next", pool: job.input === "leave" ? null : "cpu" }),
      },
      { pools: ["gpu"] },
    );
    const chains = await client.startChains({
      items: ["leave", "move"].map((input) => ({ typeName: "work", input, pool: "gpu" }) as const),
    });
    const outside = await client.startChain({ typeName: "idle", input: 1, pool: "gpu", priority: 3 });
    const next = { typeName: "work", input: "from outside", pool: null, priority: 1 } as const;
    await client.continueChain({ id: outside.id, typeName: "idle", with: next });
    for (const { id } of [...chains, outside]) await ended(fixture, id);
    equal("each its own", begun.toSorted(), ["cpu: next", "plain: from outside", "plain: next"]);
  },

  "an attempt that fails, and a retry of its chain, stay in the pool": async (fixture) => {
    const { client, clock } = fixture;
    const begun: string[] = [];
    let isBroken = true;
    await fixture.work(noting("plain", begun));
    await fixture.work(
      {
        work: {
          retry: { maxAttempts: 2, backoff: { initialMs: 10 } },
          handler: ({ job }) => {
            begun.push(`gpu: ${job.attempt}`);
            if (isBroken) throw new Error("broken");
            return "done";
          },
        },
      },
      { pools: ["gpu"] },
    );
    const { id } = await client.startChain({ typeName: "work", input: 1, pool: "gpu" });
    const failed = eventually("it fails", async () => (await client.getChain({ id }))?.status === "failed");
    await leapUntil(clock, 1_000, failed);
    isBroken = false;
    await client.retryChain({ id });
    await ended(fixture, id);
    equal("in the pool", begun, ["gpu: 1", "gpu: 2", "gpu: 1"]);
  },

  "a job whose pool no worker serves waits, and is explained": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: () => "done" });
    await fixture.work({ next: () => "done" }, { pools: ["gpu"] });
    await eventually("both are listed", async () => (await client.listWorkers()).length === 2);
    const chain = await client.startChain({ typeName: "work", input: 1, pool: "gpu" });
    match("why", await client.explainJob({ id: firstJobIdOf(chain) }), {
      pool: "gpu",
      reason: "It is ready, but no live worker takes pool gpu.",
      workers: [],
    });
    const plain = await client.startChain({ typeName: "next", input: 1 });
    match("without a pool", await client.explainJob({ id: firstJobIdOf(plain) }), {
      pool: undefined,
      reason: "It is ready, but no live worker takes jobs without a pool.",
    });
    equal("neither began", (await client.countJobs()).work?.ready, 1);
  },
});

export const poolHintCases = behavioursWith("pools", "notify", {
  "a hint about a job of a pool wakes the workers of the pool, and no others": async (fixture) => {
    const { client, clock, notify } = fixture;
    const [plain, gpu] = [await fixture.process(), await fixture.process()];
    const begun: string[] = [];
    await plain.work(noting("plain", begun), { pollIntervalMs: 60_000 });
    await gpu.work(noting("gpu", begun), { pollIntervalMs: 60_000, pools: ["gpu"] });
    await clock.yield();
    const before = plain.state.calls.get("exchange") ?? 0;
    const { id } = await client.startChain({ typeName: "work", input: "1", pool: "gpu" });
    await inTime("it ends", client.awaitChain({ id }));
    const scheduled = await client.startChain({
      typeName: "work",
      input: "2",
      pool: "gpu",
      schedule: { afterMs: 3_000_000 },
    });
    await client.triggerJob({ id: firstJobIdOf(scheduled) });
    await inTime("it ends", client.awaitChain(scheduled));
    equal("in the pool", begun, ["gpu: 1", "gpu: 2"]);
    equal("the other worker did not look", plain.state.calls.get("exchange") ?? 0, before);
    holds("no hint names the type alone", !hasPlainHint(notify), notify?.published);
  },
});

function hasPlainHint(notify: AppFixture["notify"]): boolean {
  const hints = notify?.published.flat() ?? [];
  return hints.some((hint) => hint.kind === "ready" && hint.typeName === "work");
}
