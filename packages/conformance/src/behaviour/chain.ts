import { equal, holds, match, rejected, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { behaviours } from "./group.ts";
import { inTime } from "./event-log.ts";

export const chainCases = behaviours("a chain", {
  "of one step ends with what its handler returns": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: ({ job }) => ({ doubled: Number(job.input) * 2 }) });
    const started = await client.startChain({ typeName: "work", input: 21 });
    match("started", started, { typeName: "work", status: "active", input: 21, deduplicated: false });
    const ended = await inTime("it ends", client.awaitChain(started));
    match("ended", ended, {
      id: started.id,
      typeName: "work",
      status: "completed",
      input: 21,
      output: { doubled: 42 },
    });
    holds("with moments as Dates", ended.createdAt <= ended.endedAt, ended);
    match("and stays", await client.getChain({ id: started.id }), { status: "completed", output: { doubled: 42 } });
  },

  "continues with what its handler returns: a line, a branch, a loop, a merge": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      // Loops down to 0, and branches on the way out.
      work: ({ job, continueWith }) => {
        const left = Number(job.input);
        if (left > 0) return continueWith({ typeName: "work", input: left - 1 });
        return left === 0 ? continueWith({ typeName: "next", input: "counted down" }) : { refused: true };
      },
      next: ({ job }) => ({ from: job.input }),
    });
    const looped = await client.startChain({ typeName: "work", input: 12 });
    const refused = await client.startChain({ typeName: "work", input: -1 });
    const merged = await client.startChain({ typeName: "next", input: "begun here" });
    equal("looped, then on", (await inTime("ends", client.awaitChain(looped))).output, { from: "counted down" });
    equal("the other branch", (await inTime("ends", client.awaitChain(refused))).output, { refused: true });
    equal("the same step as a beginning", (await inTime("ends", client.awaitChain(merged))).output, {
      from: "begun here",
    });
    const steps = await client.listChainJobs({ id: looped.id });
    equal(
      "its steps in order",
      steps.items.map(({ typeName, step, status }) => `${step} ${typeName} ${status}`),
      [...Array.from({ length: 13 }, (_, index) => `${index + 1} work completed`), "14 next completed"],
    );
  },

  "gives its handler the whole job": async (fixture) => {
    const { client } = fixture;
    const jobs: unknown[] = [];
    await fixture.work({
      work: ({ job }) => {
        jobs.push(job);
        return null;
      },
    });
    const started = await client.startChain({ typeName: "work", input: { a: [1] } });
    await inTime("ends", client.awaitChain(started));
    equal("the job", jobs, [
      {
        id: started.id,
        chainId: started.id,
        typeName: "work",
        input: { a: [1] },
        blockers: [],
        attempt: 1,
        lastError: undefined,
        createdAt: started.createdAt,
        idempotencyKey: started.id,
      },
    ]);
  },

  "accepts null as its output": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: () => null });
    const started = await client.startChain({ typeName: "work", input: null });
    match("ended", await inTime("ends", client.awaitChain(started)), {
      status: "completed",
      output: null,
      input: null,
    });
  },

  "a batch starts all chains or none, and returns results in the order of the items": async (fixture) => {
    const { client } = fixture;
    const ids = Array.from({ length: 20 }, () => newId());
    const started = await client.startChains({
      items: ids.map((id, index) => ({ typeName: index % 2 === 0 ? "work" : "next", id, input: index }) as const),
    });
    equal(
      "order",
      started.map(({ id, typeName, input }) => [id, typeName, input]),
      ids.map((id, index) => [id, index % 2 === 0 ? "work" : "next", index]),
    );
    const fresh = newId();
    await rejectsWith(
      "one id is taken",
      client.startChains({
        items: [
          { typeName: "work", id: fresh, input: 1 },
          { typeName: "work", id: ids[0], input: 2 },
        ],
      }),
      "duplicate-id",
    );
    equal("none is started", await client.getChain({ id: fresh }), undefined);
  },

  "concurrent callers each get their own chain, and only a refused call rejects": async (fixture) => {
    const { client } = fixture;
    const taken = await client.startChain({ typeName: "idle", input: 0 });
    const calls = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        client.startChain({ typeName: "idle", input: index, ...(index === 50 ? { id: taken.id } : {}) }),
      ),
    );
    for (const [index, call] of calls.entries()) {
      if (index === 50) equal("refused", call.status, "rejected");
      else equal("its own input", call.status === "fulfilled" ? call.value.input : call.reason, index);
    }
    equal("a hundred in all", (await client.countJobs()).idle?.ready, 100);
  },

  "starts of many callers at the same time share a statement": async (fixture) => {
    const { client, state } = fixture;
    await Promise.all(Array.from({ length: 200 }, (_, index) => client.startChain({ typeName: "idle", input: index })));
    holds("a handful of statements", (state.calls.get("start") ?? 0) <= 5, state.calls.get("start"));
    equal("all started", (await client.countJobs()).idle?.ready, 200);
  },

  "takes an id from the caller, in upper or lower case": async (fixture) => {
    const { client } = fixture;
    const id = newId();
    const started = await client.startChain({ typeName: "idle", input: 1, id: id.toUpperCase() });
    equal("in lower case", started.id, id);
    match("found by either", await client.getChain({ id: id.toUpperCase() }), { id });
  },

  "passes its priority from step to step, unless a step sets its own": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: ({ job, continueWith }) =>
        job.input === "inherit"
          ? continueWith({ typeName: "next", input: 1 })
          : continueWith({ typeName: "next", input: 1, priority: -3 }),
      next: () => null,
    });
    const inherits = await client.startChain({ typeName: "work", input: "inherit", priority: 7 });
    const says = await client.startChain({ typeName: "work", input: "say", priority: 7 });
    for (const [chain, expected] of [
      [inherits, [7, 7]],
      [says, [7, -3]],
    ] as const) {
      await inTime("ends", client.awaitChain(chain));
      const { items } = await client.listChainJobs({ id: chain.id });
      equal(
        "priorities",
        items.map(({ priority }) => priority),
        expected,
      );
    }
  },

  "with a deduplication key is started once while it holds the key": async (fixture) => {
    const { client } = fixture;
    const start = (input: number) =>
      client.startChain({ typeName: "idle", input, deduplication: { key: "once a day" } });
    const first = await start(1);
    match("the second", await start(2), { id: first.id, deduplicated: true, input: 1, status: "active" });
    const other = await client.startChain({ typeName: "work", input: 1, deduplication: { key: "once a day" } });
    equal("another type's key is another key", other.deduplicated, false);
    await client.completeChain({ id: first.id, typeName: "idle", output: 1 });
    equal("free when it has ended", (await start(3)).deduplicated, false);
  },

  "is completed and continued without a worker, and refuses a caller that expects another step": async (fixture) => {
    const { client } = fixture;
    const chain = await client.startChain({ typeName: "idle", input: 1, priority: 5 });
    await client.continueChain({ id: chain.id, typeName: "idle", with: { typeName: "work", input: "approved" } });
    await rejectsWith(
      "it has moved on",
      client.completeChain({ id: chain.id, typeName: "idle", output: 1 }),
      "job-type-mismatch",
    );
    const [, step] = (await client.listChainJobs({ id: chain.id })).items;
    match("the step", step, { typeName: "work", status: "ready", priority: 5, input: "approved" });
    await client.completeChain({ id: chain.id, typeName: "work", output: "by hand" });
    match("ended", await client.awaitChain(chain, { timeoutMs: 5_000 }), { output: "by hand" });
    await rejectsWith(
      "it has ended",
      client.completeChain({ id: chain.id, typeName: "work", output: 1 }),
      "chain-not-active",
    );
    await rejectsWith(
      "it never was",
      client.completeChain({ id: newId(), typeName: "work", output: 1 }),
      "chain-not-found",
    );
  },

  "a chain awaited by many callers in several processes resolves all of them": async (fixture) => {
    const { client } = fixture;
    const other = await fixture.process();
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    const waits = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? client : other.client).awaitChain({ id: chain.id, typeName: "idle" }),
    );
    await client.completeChain({ id: chain.id, typeName: "idle", output: "by hand" });
    for (const wait of waits) equal("its output", (await inTime("the wait ends", wait)).output, "by hand");
  },

  "a wait ends at its timeout, by its signal, or when there is no such chain, and the chain continues": async (
    fixture,
  ) => {
    const { client } = fixture;
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    await rejectsWith("the timeout", inTime("ends", client.awaitChain(chain, { timeoutMs: 20 })), "await-timeout");
    const controller = new AbortController();
    const aborted = client.awaitChain(chain, { signal: controller.signal });
    const why = new Error("why");
    controller.abort(why);
    equal("the signal's reason", await rejected("ends", inTime("ends", aborted)), why);
    await rejectsWith("not there", inTime("ends", client.awaitChain({ id: newId() })), "chain-not-found");
    match("active", await client.getChain({ id: chain.id }), { status: "active" });
  },
});
