import { equal, match, only, present } from "../check.ts";
import { blockedBy, completed, continued, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { accepted, refused } from "./stage.ts";

export const startCases = rules("start", {
  "answers every call and every start in the order of the request": async (stage) => {
    const calls = [[job("b"), job("a")], [job("c")], [job("a"), job("b"), job("c")]];
    const replies = await stage.store.start(
      calls.map((starts) => ({ starts })),
      stage.options(),
    );
    equal(
      "ids in request order",
      replies.map((reply) => accepted("accepted", reply).map((chain) => chain.id)),
      calls.map((starts) => starts.map((start) => start.id)),
    );
  },

  "tells of a started chain what was written": async (stage) => {
    const start = job("a", { input: '{"x":1}' });
    equal("the started chain", await stage.startOne(start), {
      id: start.id,
      deduplicated: false,
      status: "active",
      input: '{"x":1}',
      createdAt: stage.now(),
      jobs: [{ jobId: start.id, chainId: start.id, typeName: "a", status: "ready", dueInMs: undefined }],
    });
  },

  "gives a first job the id of its chain, step 1, attempt 0": async (stage) => {
    const start = job("a", { input: "[1]", priority: 7, onBlockerFailure: "wait" });
    await stage.startOne(start);
    equal("the job", await stage.job(start.id), {
      id: start.id,
      chainId: start.id,
      typeName: "a",
      step: 1,
      status: "ready",
      priority: 7,
      input: "[1]",
      output: undefined,
      errors: undefined,
      attempt: 0,
      createdAt: stage.now(),
      scheduledAt: undefined,
      leasedBy: undefined,
      startedAt: undefined,
      leasedUntil: undefined,
      endedAt: undefined,
      nextJobId: undefined,
      onBlockerFailure: "wait",
      blockersLeft: 0,
    });
    equal("the chain", await stage.chain(start.id), {
      id: start.id,
      typeName: "a",
      status: "active",
      input: "[1]",
      output: undefined,
      errors: undefined,
      reason: undefined,
      createdAt: stage.now(),
      endedAt: undefined,
    });
  },

  "refuses an id that a chain has": async (stage) => {
    const id = newId();
    await stage.startOne(job("a", { id, input: "1" }));
    const [reply] = await stage.store.start([{ starts: [job("b", { id, input: "2" })] }], stage.options());
    match("the refusal", refused("refused", present("a reply", reply)), { code: "duplicate-id", id });
    match("the first chain stands", await stage.chain(id), { typeName: "a", input: "1" });
  },

  "refuses an id that a later step of some chain has": async (stage) => {
    const first = await stage.startOne(job("a"));
    const next = job("b");
    await stage.settled(continued({ chainId: first.id, typeName: "a" }, next));
    const [reply] = await stage.store.start([{ starts: [job("c", { id: next.id })] }], stage.options());
    match("the refusal", refused("refused", present("a reply", reply)), { code: "duplicate-id", id: next.id });
  },

  "refuses the second of two calls of one batch with the same id": async (stage) => {
    const id = newId();
    const replies = await stage.store.start(
      [{ starts: [job("a", { id })] }, { starts: [job("b", { id })] }, { starts: [job("c")] }],
      stage.options(),
    );
    equal(
      "taken or refused",
      replies.map((reply) => (reply.ok ? "taken" : reply.refusal.code)),
      ["taken", "duplicate-id", "taken"],
    );
    match("the first stands", await stage.chain(id), { typeName: "a" });
  },

  "refuses a call that has one id twice, inline blockers included": async (stage) => {
    const id = newId();
    const replies = await stage.store.start(
      [
        { starts: [job("a", { id }), job("b", { id })] },
        { starts: [job("a", { id, blockers: [{ start: job("b", { id }) }] })] },
      ],
      stage.options(),
    );
    equal(
      "taken or refused",
      replies.map((reply) => (reply.ok ? "taken" : reply.refusal.code)),
      ["duplicate-id", "duplicate-id"],
    );
    equal("nothing is written", await stage.store.getChains([id], stage.options()), [undefined]);
  },

  "writes nothing of a call of which one start is refused, and all of the other calls": async (stage) => {
    const before = job("a");
    const good = job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } });
    const inline = job("a");
    const bad = job("a", { blockers: [{ start: inline }, blockedBy(newId())] });
    const after = job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } });
    const replies = await stage.store.start(
      [{ starts: [before] }, { starts: [good, bad] }, { starts: [after] }],
      stage.options(),
    );
    equal(
      "taken or refused",
      replies.map((reply) => reply.ok),
      [true, false, true],
    );
    const chains = await stage.store.getChains([before.id, good.id, inline.id, bad.id, after.id], stage.options());
    equal(
      "which chains are there",
      chains.map((chain) => chain !== undefined),
      [true, false, false, false, true],
    );
    equal(
      "which jobs can be claimed",
      (await stage.claim(["a"])).map((claimed) => claimed.id),
      [before.id, after.id],
    );
  },

  "takes no calls and calls of no starts": async (stage) => {
    equal("no call, no reply", await stage.store.start([], stage.options()), []);
    equal("no start, no chain", await stage.store.start([{ starts: [] }], stage.options()), [{ ok: true, value: [] }]);
  },

  "keeps the lowest and the highest 16-bit priority": async (stage) => {
    const low = await stage.startOne(job("a", { priority: -32_768 }));
    const high = await stage.startOne(job("a", { priority: 32_767 }));
    equal("low", (await stage.job(low.id)).priority, -32_768);
    equal("high", (await stage.job(high.id)).priority, 32_767);
    equal(
      "claimed in this order",
      (await stage.claim(["a"])).map((claimed) => claimed.id),
      [high.id, low.id],
    );
  },

  "hands the observer's context back with the claim": async (stage) => {
    await stage.startOne(job("a", { context: "00-trace-01" }));
    equal("context", (await stage.claimOne("a")).context, "00-trace-01");
    await stage.startOne(job("b"));
    equal("no context", (await stage.claimOne("b")).context, undefined);
  },

  "writes a thousand chains in one call, in order": async (stage) => {
    const starts = Array.from({ length: 1_000 }, (_, index) => job("a", { input: String(index) }));
    await stage.start(starts);
    const claimed = await stage.claim(["a"], { limit: 1_000 });
    equal(
      "first in, first out",
      claimed.map((held) => held.input),
      starts.map((start) => start.input),
    );
  },

  "a chain of one job is answered complete once its job completes": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    stage.advance(5);
    const { jobId, chainId, typeName, ...consequences } = await stage.settled(completed(held.fence, '"done"'));
    equal("the step", { jobId, chainId, typeName }, { jobId: chain.id, chainId: chain.id, typeName: "a" });
    match("nothing else", consequences, {
      started: [],
      unblocked: [],
      failed: [],
      reblocked: [],
    });
    match("the chain", await stage.chain(chain.id), { status: "completed", output: '"done"', endedAt: stage.now() });
    const record = only("one job", await stage.store.getJobs([chain.id], stage.options()));
    match("the job", record, { status: "completed", output: '"done"', endedAt: stage.now(), nextJobId: undefined });
  },
});
