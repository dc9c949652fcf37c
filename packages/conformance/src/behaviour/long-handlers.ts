import { equal, match } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { codeOf, ended } from "./noted.ts";
import { firstJobIdOf } from "./first-job.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import type { Context } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";

const quickly = { maxAttempts: 5, backoff: { initialMs: 1, jitter: 0 } };

/** What handlers remember, and from where they go on. */
export const longHandlerCases = behaviours("long handlers", {
  "what once has returned is returned to every later attempt, and its callback is not called again (F1)": async (
    fixture,
  ) => {
    const runs: string[] = [];
    const keys = new Set<string>();
    const seen: unknown[] = [];
    await fixture.work({
      work: {
        retry: quickly,
        handler: async ({ once, job }) => {
          const made = await once("make", async ({ idempotencyKey }) => {
            runs.push("make");
            keys.add(idempotencyKey);
            return { id: 7, list: ["a"] };
          });
          const nothing: unknown = await once("nothing", async () => void runs.push("nothing"));
          seen.push([made, nothing]);
          if (job.attempt === 1) throw new Error("again");
          const parts = await Promise.all([1, 2, 3].map((part) => once(`part ${part}`, async () => part * 10)));
          if (job.attempt === 2) throw new Error("again");
          return parts;
        },
      },
    });
    const { id } = await fixture.client.startChain({ typeName: "work", input: 1 });
    equal("output", await ended(fixture, id), [10, 20, 30]);
    equal("each once", runs, ["make", "nothing"]);
    equal(
      "the same each time",
      seen,
      [1, 2, 3].map(() => [{ id: 7, list: ["a"] }, undefined]),
    );
    equal("keys", [...keys], [`${id}:make`]);
  },

  "a callback of once that throws is not remembered, and may be called again": async (fixture) => {
    let runs = 0;
    const flaky = async (): Promise<number> => {
      runs += 1;
      if (runs < 3) throw new Error("flaky");
      return runs;
    };
    await fixture.work({
      work: {
        retry: quickly,
        handler: async ({ once }) => {
          const first = await once("flaky", flaky).catch(() => "failed");
          return [first, await once("flaky", flaky)];
        },
      },
    });
    const { id } = await fixture.client.startChain({ typeName: "work", input: 1 });
    // The second attempt calls it a third time, and then finds that the name is used.
    await inTime(
      "it fails",
      fixture.client.awaitChain({ id }).catch(() => undefined),
    );
    equal("not called after it had succeeded", runs, 3);
  },

  "a process that dies after once has resolved loses nothing (F1, F3)": async (fixture) => {
    const dying = await fixture.process();
    const noted = createGate();
    const runs: unknown[] = [];
    const handler = (isDying: boolean) => ({
      leaseMs: 5_000,
      handler: async ({ once, saveCheckpoint, job }: Context) => {
        const value = await once("value", async () => runs.push(job.attempt));
        const from = job.checkpoint ?? 0;
        if (!isDying) return [value, from];
        await saveCheckpoint(41);
        await saveCheckpoint(42);
        noted.open();
        return await new Promise(() => {});
      },
    });
    await dying.work({ work: handler(true) });
    const { id } = await fixture.client.startChain({ typeName: "work", input: 1 });
    await inTime("noted", noted.passed);
    dying.state.kill();
    await fixture.work({ work: handler(false) });
    const output = (await leapUntil(fixture.clock, 1_000, inTime("it ends", fixture.client.awaitChain({ id })))).output;
    equal("goes on", output, [1, 42]);
    equal("called once", runs, [1]);
  },

  "once in a transaction: its writes are applied exactly once (F2)": async (fixture) => {
    const { client } = fixture;
    const seen: unknown[] = [];
    await fixture.work({
      work: {
        retry: quickly,
        handler: async ({ once, job }) => {
          const started = await once("start", { tx: true }, async ({ tx }) => {
            const next = await client.startChain({ tx, typeName: "idle", input: job.attempt });
            if (job.attempt === 1) throw new Error("after the write");
            return next.id;
          });
          seen.push(started);
          if (job.attempt < 4) throw new Error("again");
          return started;
        },
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    const output = await ended(fixture, id);
    const { items } = await client.listChains({ typeName: "idle" });
    equal(
      "one write",
      items.map((chain) => [chain.id, chain.input]),
      [[output, 2]],
    );
    equal("the same each time", seen, [output, output, output]);
  },

  "once in a transaction whose memo was written first: its writes roll back, and the stored value is returned (F2)":
    async (fixture) => {
      const { client, state, clock, eventLog } = fixture;
      await fixture.work({
        work: async ({ job, once }) => {
          const claimed = await eventLog.until("claimed", ({ type }) => type === "job-claimed");
          const target = { jobId: job.id, workerId: "workerId" in claimed ? claimed.workerId : "", fence: 1 };
          const memos = [{ name: "start", value: '"first"' }];
          // A call of an earlier attempt that was under way when this one was claimed.
          await state.adapter.note([{ target, attempt: 1, memos }], { now: clock.now() });
          return await once("start", { tx: true }, async ({ tx }) => {
            await client.startChain({ tx, typeName: "idle", input: 1 });
            return "second";
          });
        },
      });
      const { id } = await client.startChain({ typeName: "work", input: 1 });
      equal("the stored one", await ended(fixture, id), "first");
      equal("nothing was written", (await client.listChains({ typeName: "idle" })).items, []);
    },

  "once in a transaction of an attempt that has lost its job writes nothing (F2, F4)": async (fixture) => {
    const { client } = fixture;
    const results: string[] = [];
    await fixture.work({
      work: async ({ job, once }) => {
        await client.cancelChain({ id: job.chainId });
        const called = once("start", { tx: true }, async ({ tx }) => {
          await client.startChain({ tx, typeName: "idle", input: 1 });
        });
        results.push(
          await called.then(
            () => "written",
            (error: unknown) => codeOf(error),
          ),
        );
      },
    });
    await client.startChain({ typeName: "work", input: 1 });
    await eventually("refused", () => results.length === 1);
    equal("refused", results, ["attempt-ended"]);
    equal("nothing was written", (await client.listChains({ typeName: "idle" })).items, []);
  },

  "the checkpoint is there in every later attempt, also after a retry of the chain (F3)": async (fixture) => {
    const { client } = fixture;
    const seen: unknown[] = [];
    await fixture.work({
      work: {
        retry: { ...quickly, maxAttempts: 2 },
        handler: async ({ job, saveCheckpoint }) => {
          seen.push(job.checkpoint);
          await saveCheckpoint({ at: seen.length });
          if (seen.length < 4) throw new Error("again");
          return seen.length;
        },
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    await inTime(
      "it fails",
      client.awaitChain({ id }).catch(() => undefined),
    );
    await client.retryChain({ id });
    equal("output", await ended(fixture, id), 4);
    equal("seen", seen, [undefined, { at: 1 }, { at: 2 }, { at: 3 }]);
  },

  "a stopping worker ends a handler at its next checkpoint, uncounted, and the next one goes on from there (F8)":
    async (fixture) => {
      const { client } = fixture;
      const [begun, go] = [createGate(), createGate()];
      const endings: string[] = [];
      const handler = async ({ job, saveCheckpoint, signal }: Context): Promise<unknown> => {
        if (job.checkpoint !== undefined) return [job.checkpoint, job.attempt];
        begun.open();
        await go.passed;
        try {
          await saveCheckpoint("here");
        } catch (error) {
          endings.push(codeOf(error), String(signal.reason?.code));
        }
        return "must not count";
      };
      const worker = await fixture.work({ work: handler });
      const { id } = await client.startChain({ typeName: "work", input: 1 });
      await inTime("it begins", begun.passed);
      const stopped = worker.stop({ timeoutMs: 60_000 });
      go.open();
      await inTime("it stops", stopped);
      equal("refused", endings, ["attempt-ended", "worker-stopping"]);
      match("given back", await client.getJob({ id: firstJobIdOf({ id }) }), {
        status: "ready",
        attempt: 0,
        errors: [],
      });
      await fixture.work({ work: handler });
      equal("goes on", await ended(fixture, id), ["here", 1]);
    },
});
