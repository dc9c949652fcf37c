import { equal, match, only, present } from "../check.ts";
import { blockedBy, completed, continued, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { accepted, refused } from "./fixture.ts";

export const startCases = rules("start", {
  "returns replies to calls and starts in the order of the request": async (fixture) => {
    const calls = [[job("b"), job("a")], [job("c")], [job("a"), job("b"), job("c")]];
    const replies = await fixture.store.start(
      calls.map((starts) => ({ starts })),
      fixture.options(),
    );
    equal(
      "ids in request order",
      replies.map((reply) => accepted("accepted", reply).map((chain) => chain.id)),
      calls.map((starts) => starts.map((start) => start.id)),
    );
  },

  "returns every job that was written": async (fixture) => {
    const start = job("a", { input: '{"x":1}' });
    equal("the started chain", await fixture.startOne(start), {
      id: start.id,
      deduplicated: false,
      status: "active",
      input: '{"x":1}',
      version: 1,
      createdAt: fixture.now(),
      jobs: [{ jobId: start.id, chainId: start.id, typeName: "a", status: "ready", dueInMs: undefined }],
    });
  },

  "gives a first job the id of its chain, step 1, attempt 0": async (fixture) => {
    const start = job("a", { input: "[1]", priority: 7, onBlockerFailure: "wait" });
    await fixture.startOne(start);
    equal("the job", await fixture.job(start.id), {
      id: start.id,
      chainId: start.id,
      typeName: "a",
      version: 1,
      pool: undefined,
      step: 1,
      status: "ready",
      priority: 7,
      input: "[1]",
      output: undefined,
      outputVersion: 1,
      errors: undefined,
      attempt: 0,
      createdAt: fixture.now(),
      scheduledAt: undefined,
      leasedBy: undefined,
      startedAt: undefined,
      leasedUntil: undefined,
      endedAt: undefined,
      nextJobId: undefined,
      onBlockerFailure: "wait",
      blockersLeft: 0,
      hasBlockers: false,
    });
    equal("the chain", await fixture.chain(start.id), {
      id: start.id,
      typeName: "a",
      status: "active",
      version: 1,
      input: "[1]",
      output: undefined,
      outputVersion: 1,
      outputTypeName: undefined,
      errors: undefined,
      reason: undefined,
      key: undefined,
      tags: undefined,
      createdAt: fixture.now(),
      endedAt: undefined,
    });
  },

  "refuses an id that a chain has": async (fixture) => {
    const id = newId();
    await fixture.startOne(job("a", { id, input: "1" }));
    const [reply] = await fixture.store.start([{ starts: [job("b", { id, input: "2" })] }], fixture.options());
    match("the refusal", refused("refused", present("a reply", reply)), { code: "duplicate-id", id });
    match("the first chain is unchanged", await fixture.chain(id), { typeName: "a", input: "1" });
  },

  "refuses an id that a later step of some chain has": async (fixture) => {
    const first = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled(continued({ chainId: first.id, typeName: "a" }, next));
    const [reply] = await fixture.store.start([{ starts: [job("c", { id: next.id })] }], fixture.options());
    match("the refusal", refused("refused", present("a reply", reply)), { code: "duplicate-id", id: next.id });
  },

  "refuses the second of two calls of one batch with the same id": async (fixture) => {
    const id = newId();
    const replies = await fixture.store.start(
      [{ starts: [job("a", { id })] }, { starts: [job("b", { id })] }, { starts: [job("c")] }],
      fixture.options(),
    );
    equal(
      "taken or refused",
      replies.map((reply) => (reply.ok ? "taken" : reply.refusal.code)),
      ["taken", "duplicate-id", "taken"],
    );
    match("the first chain is stored", await fixture.chain(id), { typeName: "a" });
  },

  "refuses a call that has one id twice, inline blockers included": async (fixture) => {
    const id = newId();
    const replies = await fixture.store.start(
      [
        { starts: [job("a", { id }), job("b", { id })] },
        { starts: [job("a", { id, blockers: [{ start: job("b", { id }) }] })] },
      ],
      fixture.options(),
    );
    equal(
      "taken or refused",
      replies.map((reply) => (reply.ok ? "taken" : reply.refusal.code)),
      ["duplicate-id", "duplicate-id"],
    );
    equal("nothing is written", await fixture.store.getChains([id], fixture.options()), [undefined]);
  },

  "writes nothing of a call of which one start is refused, and writes all of the other calls": async (fixture) => {
    const before = job("a");
    const good = job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } });
    const inline = job("a");
    const bad = job("a", { blockers: [{ start: inline }, blockedBy(newId())] });
    const after = job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } });
    const replies = await fixture.store.start(
      [{ starts: [before] }, { starts: [good, bad] }, { starts: [after] }],
      fixture.options(),
    );
    equal(
      "taken or refused",
      replies.map((reply) => reply.ok),
      [true, false, true],
    );
    const chains = await fixture.store.getChains([before.id, good.id, inline.id, bad.id, after.id], fixture.options());
    equal(
      "which chains are there",
      chains.map((chain) => chain !== undefined),
      [true, false, false, false, true],
    );
    equal(
      "which jobs can be claimed",
      (await fixture.claim(["a"])).map((claimed) => claimed.id),
      [before.id, after.id],
    );
  },

  "accepts no calls and calls without starts": async (fixture) => {
    equal("no call, no reply", await fixture.store.start([], fixture.options()), []);
    equal("no start, no chain", await fixture.store.start([{ starts: [] }], fixture.options()), [
      { ok: true, value: [] },
    ]);
  },

  "keeps the lowest and the highest 16-bit priority": async (fixture) => {
    const low = await fixture.startOne(job("a", { priority: -32_768 }));
    const high = await fixture.startOne(job("a", { priority: 32_767 }));
    equal("low", (await fixture.job(low.id)).priority, -32_768);
    equal("high", (await fixture.job(high.id)).priority, 32_767);
    equal(
      "claimed in this order",
      (await fixture.claim(["a"])).map((claimed) => claimed.id),
      [high.id, low.id],
    );
  },

  "returns the observer's context with the claim": async (fixture) => {
    await fixture.startOne(job("a", { context: "00-trace-01" }));
    equal("context", (await fixture.claimOne("a")).context, "00-trace-01");
    await fixture.startOne(job("b"));
    equal("no context", (await fixture.claimOne("b")).context, undefined);
  },

  "writes a thousand chains in one call, in order": async (fixture) => {
    const starts = Array.from({ length: 1_000 }, (_, index) => job("a", { input: String(index) }));
    await fixture.start(starts);
    const claimed = await fixture.claim(["a"], { limit: 1_000 });
    equal(
      "first in, first out",
      claimed.map((held) => held.input),
      starts.map((start) => start.input),
    );
  },

  "a chain of one job is completed once its job completes": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    fixture.advance(5);
    const { jobId, chainId, typeName, ...consequences } = await fixture.settled(completed(held.fence, '"done"'));
    equal("the step", { jobId, chainId, typeName }, { jobId: chain.id, chainId: chain.id, typeName: "a" });
    match("nothing else", consequences, {
      started: [],
      unblocked: [],
      failed: [],
      reblocked: [],
    });
    match("the chain", await fixture.chain(chain.id), {
      status: "completed",
      output: '"done"',
      endedAt: fixture.now(),
    });
    const record = only("one job", await fixture.store.getJobs([chain.id], fixture.options()));
    match("the job", record, { status: "completed", output: '"done"', endedAt: fixture.now(), nextJobId: undefined });
  },
});
