import { equal, match, only, rejectsWith, sameMembers } from "../check.ts";
import { createBarrier } from "../barrier.ts";
import { newId } from "../state/build.ts";
import { behaviours } from "./group.ts";
import type { Context } from "./handlers.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

export const blockersCases = behaviours("blockers", {
  "started with their job or before it give the handler their outputs in order": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: ({ job }) => ({ squared: Number(job.input) ** 2 }),
      gather: ({ job }) => job.blockers.map(({ typeName, input, output, status }) => [typeName, input, output, status]),
    });
    const before = await client.startChain({ typeName: "work", input: 2 });
    const chain = await client.startChain({
      typeName: "gather",
      input: null,
      blockers: [{ typeName: "work", input: 3 }, before, { typeName: "work", input: 4 }, before],
    });
    equal("what it saw", (await inTime("it ends", client.awaitChain(chain))).output, [
      ["work", 3, { squared: 9 }, "completed"],
      ["work", 2, { squared: 4 }, "completed"],
      ["work", 4, { squared: 16 }, "completed"],
      ["work", 2, { squared: 4 }, "completed"],
    ]);
    const { items } = await client.listJobBlockers({ id: firstJobIdOf(chain) });
    equal(
      "as listed",
      items.map(({ position, id, status }) => [position, id === before.id, status]),
      [
        [0, false, "completed"],
        [1, true, "completed"],
        [2, false, "completed"],
        [3, true, "completed"],
      ],
    );
  },

  "when fifty of them end on three workers at the same time, their dependent runs exactly once": async (fixture) => {
    const { client } = fixture;
    let runs = 0;
    const handlers = {
      work: () => null,
      gather: ({ job }: Context) => {
        runs += 1;
        return job.blockers.length;
      },
    };
    const others = [await fixture.process(), await fixture.process()];
    for (const one of [fixture, ...others]) await one.work(handlers, { concurrency: 5 });
    const chains = await Promise.all(
      Array.from({ length: 4 }, () =>
        client.startChain({
          typeName: "gather",
          input: null,
          blockers: Array.from({ length: 50 }, (_, index) => ({ typeName: "work", input: index }) as const),
        }),
      ),
    );
    for (const chain of chains) equal("all seen", (await inTime("it ends", client.awaitChain(chain))).output, 50);
    equal("one run each", runs, 4);
  },

  "when eight of them end in overlapping transactions of their handlers, their dependent runs exactly once": async (
    fixture,
  ) => {
    const { client } = fixture;
    const other = await fixture.process();
    const barrier = createBarrier(8);
    let runs = 0;
    const handlers = {
      work: ({ complete }: Context) =>
        complete(async () => {
          await barrier();
          return null;
        }),
      gather: () => {
        runs += 1;
        return "once";
      },
    };
    await fixture.work(handlers, { concurrency: 4 });
    await other.work(handlers, { concurrency: 4 });
    const chain = await client.startChain({
      typeName: "gather",
      input: null,
      blockers: Array.from({ length: 8 }, (_, index) => ({ typeName: "work", input: index }) as const),
    });
    equal("it ends", (await inTime("it ends", client.awaitChain(chain))).output, "once");
    equal("one run", runs, 1);
  },

  "a failed one fails the jobs that wait for it, unless they wait for a retry": async (fixture) => {
    const { client } = fixture;
    let broken = true;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: () => {
          if (broken) throw new Error("broken");
          return "mended";
        },
      },
      gather: ({ job }) => job.blockers.map(({ output }) => output),
    });
    const blocker = await client.startChain({
      typeName: "work",
      input: 1,
      schedule: { afterMs: 1_000 },
    });
    const impatient = await client.startChain({ typeName: "gather", input: 1, blockers: [blocker] });
    const patient = await client.startChain({
      typeName: "gather",
      input: 2,
      blockers: [blocker],
      onBlockerFailure: "wait",
    });
    await client.triggerJob({ id: firstJobIdOf(blocker) });
    await rejectsWith("the wait rejects", inTime("it fails", client.awaitChain(impatient)), "chain-failed");
    match("why", (await client.getChain({ id: impatient.id }))?.error, {
      name: "blocker-failed",
      message: `blocker chain ${blocker.id} (work) failed`,
    });
    match("patient", await client.getChain({ id: patient.id }), { status: "active" });
    broken = false;
    await client.retryChain({ id: blocker.id });
    for (const chain of [impatient, patient]) {
      equal("continues", (await inTime("it ends", client.awaitChain(chain))).output, ["mended"]);
    }
  },

  "a cancelled one fails the jobs that wait for it": async (fixture) => {
    const { client } = fixture;
    const blocker = await client.startChain({ typeName: "work", input: 1 });
    const chain = await client.startChain({ typeName: "gather", input: 1, blockers: [blocker] });
    const wait = rejectsWith("the wait rejects", inTime("it fails", client.awaitChain(chain)), "chain-failed");
    await client.cancelChain({ id: blocker.id, reason: "not needed" });
    await wait;
    match("why", (await client.getChain({ id: chain.id }))?.error, {
      message: `blocker chain ${blocker.id} (work) was cancelled`,
    });
  },

  "may have ended before, and are refused when missing, of another type, or the job's own chain": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ gather: ({ job }) => job.blockers.map(({ output }) => output) });
    const done = await client.startChain({ typeName: "next", input: 1 });
    await client.completeChain({ id: done.id, typeName: "next", output: "done" });
    const chain = await client.startChain({ typeName: "gather", input: 1, blockers: [done, done] });
    equal("ended before", (await inTime("it ends", client.awaitChain(chain))).output, ["done", "done"]);
    await rejectsWith(
      "missing",
      client.startChain({ typeName: "gather", input: 1, blockers: [{ typeName: "next", id: newId() }] }),
      "chain-not-found",
    );
    await rejectsWith(
      "another type",
      client.startChain({ typeName: "gather", input: 1, blockers: [{ typeName: "work", id: done.id }] }),
      "job-type-mismatch",
    );
    const idle = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith(
      "its own chain",
      client.continueChain({
        id: idle.id,
        typeName: "work",
        with: { typeName: "gather", input: 1, blockers: [idle] },
      }),
      "blocker-cycle",
    );
    await client.deleteChain({ id: chain.id });
    await client.deleteChain({ id: done.id });
    await rejectsWith(
      "deleted",
      client.startChain({ typeName: "gather", input: 1, blockers: [done] }),
      "chain-not-found",
    );
  },

  "cannot be deleted while jobs wait for them, unless with cascade": async (fixture) => {
    const { client } = fixture;
    const blocker = await client.startChain({ typeName: "next", input: 1 });
    const chain = await client.startChain({ typeName: "gather", input: 1, blockers: [blocker] });
    const refusal = await rejectsWith("refused", client.deleteChain({ id: blocker.id }), "chain-referenced");
    equal("with the references", JSON.stringify(refusal).includes(chain.id), true);
    const blocked = await client.listBlockedJobs({ id: blocker.id });
    equal("listed", only("one", blocked.items).chainId, chain.id);
    sameMembers("both go", await client.deleteChain({ id: blocker.id, cascade: true }), [blocker.id, chain.id]);
    equal("gone", await client.getChain({ id: chain.id }), undefined);
  },
});
