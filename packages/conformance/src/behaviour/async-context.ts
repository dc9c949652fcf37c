import { AsyncLocalStorage } from "node:async_hooks";
import { equal } from "../check.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { inTime } from "./event-log.ts";

const numbers = [0, 1, 2, 3, 4, 5, 6, 7];

function ended(start: Promise<unknown>): Promise<string> {
  return start.then(
    () => "started",
    () => "refused",
  );
}

export const asyncContextCases = behaviours("async context", {
  "starts outside a running transaction callback are not part of its transaction": async ({ client }) => {
    const entered = createGate();
    const leave = createGate();
    const own: Promise<string>[] = [];
    const transaction = client.transaction(async (tx) => {
      entered.open();
      await client.startChain({ tx, typeName: "idle", input: "inside" });
      // Whether it waits, is refused or is taken depends on the adapter.
      for (const input of numbers) {
        own.push(ended(client.startChain({ typeName: "idle", input })));
        await Promise.resolve();
      }
      await leave.passed;
    });
    await inTime("the callback runs", entered.passed);
    const innocent: Promise<unknown>[] = [];
    for (const input of numbers) {
      innocent.push(client.startChain({ typeName: "idle", input }));
      await Promise.resolve();
    }
    const results = Promise.all(innocent.map(ended));
    leave.open();
    await inTime("it commits", transaction);
    equal(
      "each is started",
      await inTime("they settle", results),
      numbers.map(() => "started"),
    );
    const started = (await inTime("the others settle too", Promise.all(own))).filter((how) => how === "started");
    const { items } = await client.listChains({ typeName: "idle", limit: 100 });
    equal("what was started is there", items.length, 1 + numbers.length + started.length);
  },

  "a start without tx, awaited inside a callback, settles although others wait in front of it": async ({ client }) => {
    const others: Promise<unknown>[] = [];
    const goOn = createGate();
    const transaction = client.transaction(async (tx) => {
      await client.startChain({ tx, typeName: "idle", input: "inside" });
      await goOn.passed;
      return await ended(client.startChain({ typeName: "idle", input: "by itself" }));
    });
    for (const input of numbers) others.push(client.startChain({ typeName: "idle", input }));
    await Promise.resolve();
    goOn.open();
    const how = await inTime("it settles", transaction);
    await inTime("the others too", Promise.all(others));
    const { items } = await client.listChains({ typeName: "idle", limit: 100 });
    equal("all that was started is there", items.length, 1 + numbers.length + (how === "started" ? 1 : 0));
  },

  "a transaction's callback runs in the asynchronous context of its caller": async ({ client }) => {
    const context = new AsyncLocalStorage<number>();
    const seen = await inTime(
      "all commit",
      Promise.all(
        numbers.map((number) =>
          context.run(number, () =>
            client.transaction(async (tx) => {
              const before = context.getStore();
              await client.startChain({ tx, typeName: "idle", input: number });
              return [before, context.getStore()];
            }),
          ),
        ),
      ),
    );
    equal(
      "each its own",
      seen,
      numbers.map((number) => [number, number]),
    );
  },

  "prepare and complete run in the context of their handler": async ({ client, work }) => {
    const context = new AsyncLocalStorage<unknown>();
    await work({
      work: ({ job, prepare, complete }) =>
        context.run(job.input, async (): Promise<unknown> => {
          const prepared = await prepare({ mode: "staged" }, async () => context.getStore());
          return complete(() => [prepared, context.getStore()]);
        }),
    });
    const chains = await client.startChains({ items: numbers.map((input) => ({ typeName: "work" as const, input })) });
    const outputs = await inTime("they end", Promise.all(chains.map((chain) => client.awaitChain(chain))));
    equal(
      "each its own",
      outputs.map(({ output }) => output),
      numbers.map((number) => [number, number]),
    );
  },
});
