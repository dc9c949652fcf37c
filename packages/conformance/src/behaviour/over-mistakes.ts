import { equal, match, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { eventually, inTime } from "./event-log.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { isRefused } from "./late-call.ts";

const timeoutMs = 5_000;

export const overMistakesCases = behaviours("an attempt that is over", {
  "a prepare that is not awaited is the attempt's failure, not half of its success": async (fixture) => {
    const { client } = fixture;
    const effects = { staged: newId(), atomic: newId() };
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ job, prepare }) => {
          const mode = job.input === "staged" ? "staged" : "atomic";
          void prepare({ mode }, ({ tx }) => client.startChain({ tx, typeName: "idle", input: 1, id: effects[mode] }));
          return "returned";
        },
      },
    });
    for (const mode of ["staged", "atomic"] as const) {
      const chain = await client.startChain({ typeName: "work", input: mode });
      await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
      match("why", (await client.getChain({ id: chain.id }))?.error, { name: "handler-result" });
      await eventually("no transaction is open", () => fixture.state.openTransactions() === 0);
      equal("nothing of it is left", await client.getChain({ id: effects[mode] }), undefined);
    }
  },

  "a complete that is not awaited and that fails is the attempt's failure": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ complete }) => {
          void complete(async () => {
            throw new Error("changed its mind");
          });
          return "returned";
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    match("why", (await client.getChain({ id: chain.id }))?.error, { message: "changed its mind" });
  },

  "a complete that still runs when its handler returns a value commits nothing, and the attempt has failed": async (
    fixture,
  ) => {
    const { client } = fixture;
    const effect = newId();
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ complete }) => {
          void complete(async ({ tx }) => {
            await client.startChain({ tx, typeName: "idle", input: 1, id: effect });
            // The handler has returned before the next turn of the event loop.
            await new Promise((resolve) => void setImmediate(resolve));
            return "of complete";
          });
          return "of the handler";
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    match("why", (await client.getChain({ id: chain.id }))?.error, { name: "handler-result" });
    equal("nothing of it is left", await client.getChain({ id: effect }), undefined);
  },

  "of two completes that are not awaited, the first counts": async (fixture) => {
    const { client } = fixture;
    const go = createGate();
    await fixture.work({
      work: ({ complete }) => {
        void complete(async () => {
          await go.passed;
          return "first";
        });
        complete(() => "second").catch(() => go.open());
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("its output", (await inTime("it ends", client.awaitChain(chain))).output, "first");
  },

  "a complete that comes while the next attempt runs is refused, and the next attempt ends the chain": async (
    fixture,
  ) => {
    const { client } = fixture;
    const [second, go] = [createGate(), createGate()];
    const late = Promise.withResolvers<unknown>();
    let runs = 0;
    await fixture.work({
      work: async ({ complete, reschedule }) => {
        runs += 1;
        const run = runs;
        const completes = (async () => {
          await (run === 1 ? second.passed : go.passed);
          return await complete(() => run);
        })();
        if (run === 1) {
          completes.then(late.resolve, late.resolve);
          return reschedule({ afterMs: 1 });
        }
        second.open();
        return completes;
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await isRefused("the late one", Promise.reject(await inTime("it is refused", late.promise)), "threw");
    go.open();
    equal("its output", (await inTime("it ends", client.awaitChain(chain))).output, 2);
  },

  "a middleware that continues after the end does not begin the handler": async (fixture) => {
    const { client, clock } = fixture;
    const [begun, go] = [createGate(), createGate()];
    const late = Promise.withResolvers<unknown>();
    let runs = 0;
    await fixture.work({
      middleware: [
        async (_attempt, next) => {
          begun.open();
          await go.passed;
          const result = next();
          result.then(late.resolve, late.resolve);
          return await result;
        },
      ],
      work: { timeoutMs, retry: { maxAttempts: 1 }, handler: () => (runs += 1) },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    clock.leap(timeoutMs);
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    go.open();
    await isRefused("the rest", Promise.reject(await inTime("it is refused", late.promise)), "timeout");
    equal("the handler has not begun", runs, 0);
  },

  "a staged prepare commits nothing once the chain was cancelled, although its worker does not know it yet": async (
    fixture,
  ) => {
    const elsewhere = await fixture.process();
    elsewhere.state.loseRaces(["renew"], 1_000);
    const effect = newId();
    const completion = Promise.withResolvers<unknown>();
    await elsewhere.work({
      work: async ({ job, prepare, complete }) => {
        try {
          await prepare({ mode: "staged" }, async ({ tx }) => {
            await elsewhere.client.startChain({ tx, typeName: "idle", input: 1, id: effect });
          });
        } catch (error) {
          completion.resolve(error);
          return complete(() => job.id);
        }
        completion.resolve("committed");
        return null;
      },
      middleware: [
        async ({ job }, next) => {
          await fixture.client.cancelChain({ id: job.chainId });
          return next();
        },
      ],
    });
    await fixture.client.startChain({ typeName: "work", input: 1 });
    await isRefused("the step", Promise.reject(await inTime("it is refused", completion.promise)), "cancelled");
    equal("nothing of it is left", await fixture.client.getChain({ id: effect }), undefined);
  },
});
