import { createClient, defineJobTypes } from "chainwright";
import { equal, holds, match, only, present, rejectsWith, sameMembers } from "../check.ts";
import { newId } from "../state/build.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

export const readingCases = behaviours("reading", {
  "returns undefined for what does not exist, and refuses another type than expected": async (fixture) => {
    const { client } = fixture;
    equal("no chain", await client.getChain({ id: newId() }), undefined);
    equal("no job", await client.getJob({ id: newId() }), undefined);
    equal("no explanation of a job", await client.explainJob({ id: newId() }), undefined);
    equal("no explanation of a chain", await client.explainChain({ id: newId() }), undefined);
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    await rejectsWith("another type", client.getChain({ id: chain.id, typeName: "work" }), "job-type-mismatch");
    match("its type", await client.getChain({ id: chain.id, typeName: "idle" }), { id: chain.id });
  },

  "page by page returns each row once, newest or oldest first, while others are started": async (fixture) => {
    const { client } = fixture;
    const started = await client.startChains({
      items: Array.from({ length: 25 }, (_, index) => ({ typeName: "idle", input: index }) as const),
    });
    const ids = started.map(({ id }) => id);
    for (const order of ["newest", "oldest"] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listChains({ order, limit: 4, cursor, typeName: "idle" });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        await client.startChain({ typeName: "work", input: "new" });
      } while (cursor !== undefined);
      sameMembers(order, seen, ids);
      const sorted = seen.toSorted((left, right) => (left < right ? -1 : 1));
      equal("in order", seen, order === "oldest" ? sorted : sorted.toReversed());
    }
    const exact = await client.listChains({ typeName: "idle", limit: 25 });
    equal("the last page has no cursor", exact.nextCursor, undefined);
  },

  "filters by status, type, ids, time and error text": async (fixture) => {
    const { client, clock } = fixture;
    const first = await client.startChain({ typeName: "idle", input: 1 });
    clock.leap(60_000);
    const between = new Date(clock.now());
    clock.leap(60_000);
    const second = await client.startChain({ typeName: "work", input: 2 });
    await client.completeChain({ id: second.id, typeName: "work", output: 1 });
    const of = async (options: Parameters<typeof client.listChains>[0]) =>
      (await client.listChains(options)).items.map(({ id }) => id);
    equal("status", await of({ status: "active" }), [first.id]);
    equal("statuses", (await of({ status: ["active", "completed"] })).length, 2);
    equal("type", await of({ typeName: "work" }), [second.id]);
    equal("ids", await of({ ids: [first.id, newId()] }), [first.id]);
    equal("from", await of({ createdFrom: between }), [second.id]);
    equal("before", await of({ createdBefore: between }), [first.id]);
    equal("error text", await of({ errorText: "nothing like it" }), []);
    equal(
      "jobs",
      (await client.listJobs({ status: "completed" })).items.map(({ chainId }) => chainId),
      [second.id],
    );
  },

  "finds chains and jobs by the text of their error, with any characters in it": async (fixture) => {
    const { client } = fixture;
    const texts = [
      'said "no"',
      "C:\\new\\table",
      "one\ntwo",
      "50% of _all_",
      "'quoted'",
      "naïve 日本 😀",
      "\u0001 and \u2028",
    ];
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ job }) => {
          throw new Error(`before ${String(job.input)} after`);
        },
      },
    });
    const started = await client.startChains({ items: texts.map((input) => ({ typeName: "work", input })) });
    for (const { id } of started)
      await inTime(
        "it ends",
        client.awaitChain({ id }).catch(() => undefined),
      );
    for (const [index, errorText] of texts.entries()) {
      const id = started[index]?.id;
      for (const sought of [errorText, `before ${errorText} after`]) {
        const [byChain, byJob] = [
          await client.listChains({ errorText: sought }),
          await client.listJobs({ errorText: sought }),
        ];
        equal(
          `chains with ${sought}`,
          byChain.items.map((chain) => chain.id),
          [id],
        );
        equal(
          `jobs with ${sought}`,
          byJob.items.map((job) => job.chainId),
          [id],
        );
      }
    }
  },

  "explains why a chain does not go on": async (fixture) => {
    const { client, clock } = fixture;
    const blocker = await client.startChain({ typeName: "next", input: 1 });
    const blocked = await client.startChain({ typeName: "gather", input: 1, blockers: [blocker] });
    const scheduled = await client.startChain({ typeName: "work", input: 1, schedule: { afterMs: 60_000 } });
    const [ahead, ready] = [
      await client.startChain({ typeName: "work", input: 1 }),
      await client.startChain({ typeName: "work", input: 2 }),
    ];
    match("blocked", await client.explainChain({ id: blocked.id }), {
      status: "blocked",
      blockedBy: [{ id: blocker.id, typeName: "next", status: "active" }],
      workers: [],
    });
    const due = present("scheduled", await client.explainChain({ id: scheduled.id }));
    equal("due", due.dueAt instanceof Date && due.dueAt.getTime() <= clock.now() + 60_000, true);
    match("ready, without a worker", await client.explainChain({ id: ready.id }), {
      status: "ready",
      ahead: 1,
      workers: [],
    });
    const begun = createGate();
    const go = createGate();
    const worker = await fixture.work(
      {
        work: async () => {
          begun.open();
          await go.passed;
          return null;
        },
      },
      { concurrency: 1, prefetch: 0, name: "host 3" },
    );
    await inTime("it begins", begun.passed);
    match("running", await client.explainChain({ id: ahead.id }), { status: "running", leasedBy: worker.id });
    await eventually("it says that it lives", async () => (await client.listWorkers()).length === 1);
    const waiting = present("waiting", await client.explainChain({ id: ready.id }));
    match("first in the queue, with one worker", waiting, { status: "ready", ahead: 0, workers: ["host 3"] });
    holds("in words", waiting.summary.length > 10, waiting.summary);
    go.open();
    await inTime("it ends", client.awaitChain(ready));
    match("ended", await client.explainChain({ id: ready.id }), { status: "completed" });
  },

  "explains a completed job by where its chain is now, and a chain by its newest step": async (fixture) => {
    const { client } = fixture;
    const chain = await client.startChain({ typeName: "next", input: 1 });
    await client.continueChain({
      id: chain.id,
      typeName: "next",
      with: { typeName: "work", input: 2, schedule: { afterMs: 60_000 } },
    });
    const first = firstJobIdOf(chain);
    match("the first step", await client.explainJob({ id: first }), {
      id: first,
      chainId: chain.id,
      step: 1,
      status: "completed",
      reason: 'It has completed; its chain is at step 2, "work", which is scheduled: ask explainChain about it.',
    });
    match("the chain", await client.explainChain({ id: chain.id }), {
      chainId: chain.id,
      typeName: "work",
      step: 2,
      status: "scheduled",
    });
    await client.cancelChain({ id: chain.id });
    match("the first step of an ended chain", await client.explainJob({ id: first }), {
      reason: 'It has completed; its chain ended at step 2, "work", which is cancelled.',
    });
    match("an ended chain", await client.explainChain({ id: chain.id }), { step: 2, reason: "It has been cancelled." });
  },

  "calls by id accept a chain or a job as it was started or read": async (fixture) => {
    const { client } = fixture;
    const schedule = { afterMs: 60_000 };
    const deduplication = { key: "42" };
    const started = await client.startChain({ typeName: "next", input: 1, deduplication, tags: { of: "acme" } });
    const chain = present("a started chain", await client.getChain(started));
    equal("a chain as it was read", await client.getChain(chain), chain);
    const blocked = await client.startChain({ typeName: "gather", input: 1, blockers: [chain] });
    const job = only("its step", (await client.listChainJobs(blocked)).items);
    equal("a job as it was read", (await client.getJob(job))?.id, job.id);
    match("explainJob", await client.explainJob(job), { id: job.id });
    match("explainChain", await client.explainChain(blocked), { id: job.id });
    equal("who waits", only("one", (await client.listBlockedJobs(chain)).items).id, job.id);
    const blocker = only("a blocker", (await client.listJobBlockers(job)).items);
    equal("a blocker as it was read", (await client.getChain(blocker))?.id, chain.id);
    await client.cancelChain(blocked);
    const cancelled = only("cancelled", (await client.listChains({ status: "cancelled" })).items);
    equal("the steps of a cancelled chain", only("one", (await client.listChainJobs(cancelled)).items).id, job.id);
    await client.continueChain({ id: chain.id, typeName: "next", with: { typeName: "work", input: 1, schedule } });
    equal("all its steps", (await client.listChainJobs({ ...chain, order: "newest" })).items.length, 2);
    await client.triggerJob(only("scheduled", (await client.listScheduledJobs()).items));
    await client.completeChain({ id: chain.id, typeName: "work", output: "done" });
    equal("the output", (await client.awaitChain(chain)).output, "done");
    await client.deleteChain(cancelled);
    await client.deleteChains({ items: (await client.listChains()).items });
    equal("none is left", (await client.listChains()).items, []);
  },

  "counts jobs of all statuses, by type": async (fixture) => {
    const { client } = fixture;
    await client.startChains({
      items: [
        { typeName: "idle", input: 1 },
        { typeName: "idle", input: 2 },
      ],
    });
    await client.startChain({ typeName: "idle", input: 1, schedule: { afterMs: 60_000 } });
    const { idle, work } = await client.countJobs();
    match("idle", idle, { ready: 2, scheduled: 1, running: 0, blocked: 0, completed: 0, failed: 0, cancelled: 0 });
    holds("the oldest", (idle?.oldestReadyMs ?? -1) >= 0, idle);
    equal("none of work", work, undefined);
    const late = await client.countJobs({ status: "scheduled" });
    match("scheduled ones alone", late.idle, { ready: 0, scheduled: 1, oldestReadyMs: undefined });
    equal("none that failed", await client.countJobs({ status: ["failed", "cancelled"] }), {});
  },

  "counts types whose names are properties of every object": async (fixture) => {
    const { clock, state } = fixture;
    const jobTypes = defineJobTypes<{
      constructor: { entry: true; input: number; output: number };
      toString: { entry: true; input: number; output: number };
    }>();
    const client = createClient({ stateAdapter: state.adapter, jobTypes, clock });
    await client.startChain({ typeName: "constructor", input: 1 });
    await client.startChain({ typeName: "toString", input: 1 });
    const found = await client.countJobs();
    match("constructor", Object.getOwnPropertyDescriptor(found, "constructor")?.value, { ready: 1, failed: 0 });
    match("toString", Object.getOwnPropertyDescriptor(found, "toString")?.value, { ready: 1 });
    equal("no builtin was touched", "ready" in Object, false);
    await client.close();
  },

  "in a transaction sees what the transaction has written": async (fixture) => {
    const { client } = fixture;
    await client
      .transaction(async (tx) => {
        const chain = await client.startChain({ tx, typeName: "idle", input: 1 });
        match("getChain", await client.getChain({ tx, id: chain.id }), { status: "active" });
        match("getJob", await client.getJob({ tx, id: firstJobIdOf(chain) }), { status: "ready" });
        equal("listChains", only("one", (await client.listChains({ tx })).items).id, chain.id);
        equal("listJobs", only("one", (await client.listJobs({ tx })).items).chainId, chain.id);
        match("explainJob", await client.explainJob({ tx, id: firstJobIdOf(chain) }), { status: "ready" });
        match("explainChain", await client.explainChain({ tx, id: chain.id }), { status: "ready" });
        match("countJobs", (await client.countJobs({ tx })).idle, { ready: 1 });
        match("countQueuedJobs", (await client.countQueuedJobs({ tx }))[0], { typeName: "idle", ready: 1 });
        throw new Error("undo");
      })
      .catch((error: unknown) => {
        if (!(error instanceof Error) || error.message !== "undo") throw error;
      });
    equal("and nothing after", (await client.listChains()).items, []);
  },

  "rejects with closed after the client was closed, and waits end": async (fixture) => {
    const { client } = await fixture.process();
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    const wait = rejectsWith("the wait ends", inTime("it ends", client.awaitChain(chain)), "closed");
    await client.getChain({ id: chain.id });
    await client.close();
    await client.close();
    await wait;
  },
});
