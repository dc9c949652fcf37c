import { equal, holds, present } from "../check.ts";
import { longMs, numbers, outputs, startAll, statusesOf, untilEnded, working } from "./batch-calls.ts";
import { behavioursWith } from "./group.ts";

export const batchWriteCases = behavioursWith("batches", "userTable", {
  "complete ends all jobs in one transaction with what it writes": async (fixture) => {
    const table = fixture.userTable();
    const chains = await startAll(fixture, numbers(4));
    await working(fixture, {
      maxSize: 4,
      maxWaitMs: longMs,
      handler: ({ complete, failed }) =>
        complete(async ({ tx, jobs }) => {
          for (const { input, attempt } of jobs) await table.write(tx, "rows", `${String(input)} ${attempt}`);
          return jobs.map(({ input, attempt }) =>
            input === 2 && attempt === 1 ? failed.fatal("gone") : `did ${String(input)}`,
          );
        }),
    });
    await untilEnded(fixture, 4);
    equal("the ends", await statusesOf(fixture, chains), ["did 0", "did 1", "failed", "did 3"]);
    // An attempt ends after its jobs.
    const isEnded = ({ type }: { readonly type: string }) => type === "attempt-ended";
    await fixture.eventLog.untilMany("its attempts end", 4, isEnded);
    equal("the writes", (await table.read("rows")).toSorted(), ["0 1", "1 1", "2 1", "3 1"]);
    equal("attempts", fixture.eventLog.count(isEnded), 4);
  },

  "complete runs again without a job that was lost, and writes exactly for those that it ends": async (fixture) => {
    const { client } = fixture;
    const table = fixture.userTable();
    const chains = await startAll(fixture, numbers(4));
    const runs: number[] = [];
    await working(fixture, {
      maxSize: 4,
      maxWaitMs: longMs,
      handler: async ({ jobs, complete }) => {
        await client.cancelChain({
          id: present(
            "it",
            jobs.find(({ input }) => input === 1),
          ).chainId,
        });
        return complete(async (scope) => {
          runs.push(scope.jobs.length);
          for (const { input } of scope.jobs) await table.write(scope.tx, "rows", String(input));
          return outputs(scope);
        });
      },
    });
    await untilEnded(fixture, 3);
    equal("the ends", await statusesOf(fixture, chains), ["did 0", "cancelled", "did 2", "did 3"]);
    equal("the writes", (await table.read("rows")).toSorted(), ["0", "2", "3"]);
    holds("the last run had three jobs", runs.at(-1) === 3, runs);
  },

  "complete rolls back what it wrote when it throws, and its jobs are bisected": async (fixture) => {
    const table = fixture.userTable();
    const chains = await startAll(fixture, numbers(4));
    await working(
      fixture,
      {
        maxSize: 4,
        maxWaitMs: 100,
        handler: ({ complete }) =>
          complete(async ({ tx, jobs }) => {
            for (const { input } of jobs) await table.write(tx, "rows", String(input));
            if (jobs.some(({ input }) => input === 2)) throw new Error("poison");
            return outputs({ jobs });
          }),
      },
      { maxAttempts: 3 },
    );
    await untilEnded(fixture, 4);
    equal("the ends", await statusesOf(fixture, chains), ["did 0", "did 1", "failed", "did 3"]);
    equal("the writes", (await table.read("rows")).toSorted(), ["0", "1", "3"]);
  },
});
