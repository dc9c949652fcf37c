import { equal, match, sameMembers } from "../check.ts";
import { createGate } from "./gate.ts";
import { behavioursWith } from "./group.ts";
import type { Context } from "./handlers.ts";
import { inTime } from "./event-log.ts";

export const ownWritesCases = behavioursWith("the user's own writes", "userTable", {
  "commit with the start of a chain, or roll back with it": async (fixture) => {
    const { client } = fixture;
    const table = fixture.userTable();
    await client.transaction(async (tx) => {
      await table.write(tx, "order", "kept");
      await client.startChain({ tx, typeName: "idle", input: 1 });
    });
    await client
      .transaction(async (tx) => {
        await table.write(tx, "order", "dropped");
        await client.startChain({ tx, typeName: "idle", input: 2 });
        throw new Error("undo");
      })
      .catch(() => {});
    equal("written", await table.read("order"), ["kept"]);
    equal("started", (await client.countJobs()).idle?.ready, 1);
  },

  "commit with the end of a step, once, although calls before it fail": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const table = fixture.userTable();
    await fixture.work({
      work: {
        retry: { backoff: { initialMs: 1_000, jitter: 0 } },
        handler: ({ job, complete }) =>
          complete(async ({ tx }) => {
            await table.write(tx, "paid", String(job.attempt));
            if (job.attempt < 3) throw new Error("after the write");
            return "paid";
          }),
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    for (const times of [1, 2]) {
      await eventLog.untilMany("a retry", times, (event) => event.type === "job-retried");
      equal("rolled back", await table.read("paid"), []);
      clock.leap(10_000);
    }
    await inTime("it ends", client.awaitChain(chain));
    equal("applied once", await table.read("paid"), ["3"]);
  },

  "of a staged prepare stay, those of complete are applied once": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const table = fixture.userTable();
    await fixture.work({
      work: {
        retry: { backoff: { initialMs: 1_000, jitter: 0 } },
        handler: async ({ job, prepare, complete }) => {
          await prepare({ mode: "staged" }, ({ tx }) => table.write(tx, "staged", String(job.attempt)));
          if (job.attempt === 1) throw new Error("between");
          return complete(async ({ tx }) => {
            await table.write(tx, "completed", String(job.attempt));
            return null;
          });
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await eventLog.until("a retry", (event) => event.type === "job-retried");
    clock.leap(1_000);
    await inTime("it ends", client.awaitChain(chain));
    sameMembers("staged, at least once", await table.read("staged"), ["1", "2"]);
    equal("completed, once", await table.read("completed"), ["2"]);
  },

  "of an atomic prepare and of complete are applied together": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const table = fixture.userTable();
    await fixture.work({
      work: {
        retry: { backoff: { initialMs: 1_000, jitter: 0 } },
        handler: async ({ job, prepare, complete }) => {
          await prepare({ mode: "atomic" }, ({ tx }) => table.write(tx, "k", `prepared ${job.attempt}`));
          if (job.attempt === 1) throw new Error("between");
          return complete(async ({ tx }) => {
            await table.write(tx, "k", `completed ${job.attempt}`);
            return null;
          });
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await eventLog.until("a retry", (event) => event.type === "job-retried");
    equal("rolled back", await table.read("k"), []);
    clock.leap(1_000);
    await inTime("it ends", client.awaitChain(chain));
    sameMembers("both", await table.read("k"), ["prepared 2", "completed 2"]);
  },

  "of a late attempt are refused with it": async (fixture) => {
    const { client, clock } = fixture;
    const table = fixture.userTable();
    const slow = await fixture.process();
    const begun = createGate();
    const go = createGate();
    const late = Promise.withResolvers<unknown>();
    await slow.work(
      {
        work: async ({ complete }) => {
          begun.open();
          await go.passed;
          return complete(async ({ tx }) => {
            await table.write(tx, "k", "late");
            return "late";
          }).catch((error: unknown) => {
            late.resolve(error);
            throw error;
          });
        },
      },
      { leaseMs: 1_000 },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("the slow one has it", begun.passed);
    // Its lease runs out while it cannot renew it.
    slow.state.away(true);
    clock.leap(1_000);
    await fixture.work({
      work: ({ complete }) =>
        complete(async ({ tx }) => {
          await table.write(tx, "k", "in time");
          return "in time";
        }),
    });
    equal("the other ends it", (await inTime("it ends", client.awaitChain(chain))).output, "in time");
    slow.state.away(false);
    go.open();
    await inTime("the slow one is refused", late.promise);
    equal("applied once", await table.read("k"), ["in time"]);
    match("as it was", await client.getChain({ id: chain.id }), { output: "in time" });
  },

  "of two hundred steps on three workers are applied exactly once each": async (fixture) => {
    const { client } = fixture;
    const table = fixture.userTable();
    const handlers = {
      work: ({ job, complete }: Context) =>
        complete(async ({ tx, continueWith }) => {
          await table.write(tx, "steps", `${job.chainId} ${String(job.input)}`);
          return job.input === 3 ? "ended" : continueWith({ typeName: "work", input: Number(job.input) + 1 });
        }),
    };
    for (const one of [fixture, await fixture.process(), await fixture.process()]) await one.work(handlers);
    const chains = await client.startChains({
      items: Array.from({ length: 50 }, () => ({ typeName: "work", input: 0 }) as const),
    });
    for (const chain of chains) await inTime("it ends", client.awaitChain(chain));
    sameMembers(
      "each once",
      await table.read("steps"),
      chains.flatMap(({ id }) => [0, 1, 2, 3].map((step) => `${id} ${step}`)),
    );
  },
});
