import type { ChainStatus } from "chainwright";
import type { BlockerQuery } from "chainwright/adapter";
import { equal, match, only } from "../check.ts";
import { blockedBy, completed, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { byId } from "./listing.ts";

export const readCases = rules("read", {
  "returns chains and jobs in the order of the request, and `undefined` for missing ones": async (fixture) => {
    const [one, two] = await fixture.start([job("a"), job("b")]);
    const ids = [two?.id ?? "", newId(), one?.id ?? "", two?.id ?? ""];
    const expected = [ids[0], undefined, ids[2], ids[0]];
    equal(
      "chains",
      (await fixture.store.getChains(ids, fixture.options())).map((chain) => chain?.id),
      expected,
    );
    equal(
      "jobs",
      (await fixture.store.getJobs(ids, fixture.options())).map((record) => record?.id),
      expected,
    );
    equal("none for none", await fixture.store.getChains([], fixture.options()), []);
    equal("none for none", await fixture.store.getJobs([], fixture.options()), []);
  },

  "returns a thousand chains and jobs at once": async (fixture) => {
    const started = await fixture.start(Array.from({ length: 1_000 }, () => job("a")));
    const ids = started.map(({ id }) => id).toReversed();
    equal(
      "chains",
      (await fixture.store.getChains(ids, fixture.options())).map((chain) => chain?.id),
      ids,
    );
    equal(
      "jobs",
      (await fixture.store.getJobs(ids, fixture.options())).map((record) => record?.id),
      ids,
    );
  },

  "a later step is a job, but no chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled({ target: { chainId: chain.id, typeName: "a" }, kind: "continued", next });
    equal("no chain", await fixture.store.getChains([next.id], fixture.options()), [undefined]);
    match("a job", await fixture.job(next.id), { chainId: chain.id, step: 2 });
  },

  "returns of which type the job was that ended a chain with its output, wherever the chain is read": async (
    fixture,
  ) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.settled({ target: { chainId: chain.id, typeName: "a" }, kind: "continued", next: job("b") });
    match("not yet", await fixture.chain(chain.id), { output: undefined, outputTypeName: undefined });
    await fixture.settled({ target: { chainId: chain.id, typeName: "b" }, kind: "completed", output: "1" });
    const ended = await fixture.chain(chain.id);
    match("by id", ended, { typeName: "a", output: "1", outputTypeName: "b" });
    const { id } = await fixture.startOne(job("c", { blockers: [blockedBy(chain.id)] }));
    const blockers = { jobId: id, afterPosition: undefined, limit: 10 };
    equal("a blocker", (await fixture.store.listBlockers(blockers, fixture.options()))[0]?.chain, ended);
    if (fixture.store.noteAwaited !== undefined)
      equal("awaited", (await fixture.store.noteAwaited([chain.id], fixture.options()))[0]?.chain, ended);
    const failing = await fixture.startOne(job("a"));
    await fixture.settled({ target: { chainId: failing.id, typeName: "a" }, kind: "failed", errors: "[]" });
    match("no output", await fixture.chain(failing.id), { output: undefined, outputTypeName: undefined });
  },

  "returns a job's blockers in position order, page by page, each with the current state of its chain": async (
    fixture,
  ) => {
    const done = await fixture.completedChain(job("x", { input: "1" }), '"one"');
    const broken = await fixture.startOne(job("y"));
    await fixture.settled(failed({ chainId: broken.id, typeName: "y" }));
    const open = await fixture.startOne(job("z"));
    const { id } = await fixture.startOne(
      job("a", {
        blockers: [blockedBy(open.id), blockedBy(done.id), blockedBy(broken.id), blockedBy(open.id)],
        onBlockerFailure: "wait",
      }),
    );
    const page = (afterPosition: number | undefined, limit: number) =>
      fixture.store.listBlockers({ jobId: id, afterPosition, limit }, fixture.options());
    const all = await page(undefined, 10);
    equal(
      "all",
      all.map(({ chain }) => [chain.id, chain.status]),
      [
        [open.id, "active"],
        [done.id, "completed"],
        [broken.id, "failed"],
        [open.id, "active"],
      ],
    );
    equal("whole chains", all[1]?.chain, await fixture.chain(done.id));
    const first = await page(undefined, 3);
    equal("a page", first, all.slice(0, 3));
    equal("the next", await page(first.at(-1)?.position, 3), all.slice(3));
    equal("none after the last", await page(all.at(-1)?.position, 3), []);
  },

  "returns only a job's blockers with the given statuses, page by page": async (fixture) => {
    const chains = await fixture.start(Array.from({ length: 6 }, (_, at) => job(`x ${at}`)));
    const [one = "", two = "", three = "", four = ""] = chains.map(({ id }) => id);
    const blockers = [...chains.map((chain) => blockedBy(chain.id)), blockedBy(one)];
    const { id } = await fixture.startOne(job("a", { blockers, onBlockerFailure: "wait" }));
    await fixture.settled(completed({ chainId: one, typeName: "x 0" }));
    await fixture.settled(failed({ chainId: two, typeName: "x 1" }));
    await fixture.settled(completed({ chainId: three, typeName: "x 2" }));
    await fixture.insist(() => fixture.store.cancel([{ chainId: four, reason: "r" }], fixture.options()));
    const positions = async (statuses: readonly ChainStatus[], afterPosition?: number, limit = 10) => {
      const found = await fixture.store.listBlockers({ jobId: id, afterPosition, limit, statuses }, fixture.options());
      equal(
        "a status that was asked for",
        found.filter(({ chain }) => !statuses.includes(chain.status)),
        [],
      );
      return found.map(({ position }) => position);
    };
    equal("completed", await positions(["completed"]), [0, 2, 6]);
    equal("a page", await positions(["completed"], undefined, 2), [0, 2]);
    equal("the next", await positions(["completed"], 2, 2), [6]);
    equal("stopped", await positions(["failed", "cancelled"]), [1, 3]);
    equal("active", await positions(["active"], 4), [5]);
    equal("none", await positions([]), []);
  },

  "returns the blockers of several jobs, a page of each": async (fixture) => {
    const chains = await fixture.start(Array.from({ length: 4 }, (_, at) => job(`x ${at}`)));
    const [one = "", two = "", three = "", four = ""] = chains.map(({ id }) => id);
    const blocked = async (...ids: readonly string[]) =>
      (await fixture.startOne(job("a", { blockers: ids.map((id) => blockedBy(id)), onBlockerFailure: "wait" }))).id;
    const first = await blocked(one, two, three);
    const second = await blocked(four, one);
    const third = await blocked(two);
    const free = (await fixture.startOne(job("b"))).id;
    await fixture.settled(completed({ chainId: one, typeName: "x 0" }));
    const list = async (query: Partial<BlockerQuery>) => {
      const jobId = [second, free, newId(), first];
      const asked = { jobId, afterPosition: undefined, limit: 2, ...query };
      const found = await fixture.store.listBlockers(asked, fixture.options());
      const byJob = Map.groupBy(found, (blocker) => blocker.jobId);
      equal("jobs that were asked for", byId([...byJob.keys()]), byId([first, second].filter((id) => byJob.has(id))));
      return [first, second].map((id) => byJob.get(id)?.map(({ position, chain }) => [position, chain.id]));
    };
    const both = [
      [
        [0, one],
        [1, two],
      ],
      [
        [0, four],
        [1, one],
      ],
    ];
    equal("the first of each", await list({}), both);
    equal("the next of each", await list({ afterPosition: 1 }), [[[2, three]], undefined]);
    equal("of a status", await list({ statuses: ["completed"] }), [[[0, one]], [[1, one]]]);
    equal("of none", await list({ jobId: [] }), [undefined, undefined]);
    const alone = { jobId: third, afterPosition: undefined, limit: 2 };
    const found = only("one alone", await fixture.store.listBlockers(alone, fixture.options()));
    match("of one job", found, { jobId: third, position: 0 });
  },

  "positions of blockers count up from 0": async (fixture) => {
    const [one, two] = await fixture.start([job("x"), job("x")]);
    const { id } = await fixture.startOne(job("a", { blockers: [blockedBy(one?.id ?? ""), blockedBy(two?.id ?? "")] }));
    const found = await fixture.store.listBlockers(
      { jobId: id, afterPosition: undefined, limit: 10 },
      fixture.options(),
    );
    equal(
      "positions",
      found.map(({ position }) => position),
      [0, 1],
    );
  },

  "returns no blockers for a job without any and for a missing job": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    for (const jobId of [id, newId()]) {
      const query = { jobId, afterPosition: undefined, limit: 10 };
      equal("none", await fixture.store.listBlockers(query, fixture.options()), []);
    }
  },

  "returns how many jobs a claim would take before a job": async (fixture) => {
    const chains = await fixture.start([
      job("a"),
      job("a", { priority: 1 }),
      job("b", { priority: 9 }),
      job("a"),
      job("a", { schedule: { afterMs: 100 }, priority: 9 }),
      job("a"),
    ]);
    const ahead = (index: number, limit = 100) =>
      fixture.store.countAhead(chains[index]?.id ?? "", limit, fixture.options());
    equal("of the highest", await ahead(1), 0);
    equal("behind one", await ahead(0), 1);
    equal("behind three", await ahead(5), 3);
    equal("up to the limit", await ahead(5, 2), 2);
    await fixture.claim(["a"], { limit: 2, leaseMs: 1_000 });
    equal("running ones are not ahead", await ahead(5), 1);
    fixture.advance(1_000);
    equal("due ones and those whose lease ran out are", await ahead(5), 4);
  },

  "a claim takes exactly as many jobs before it as were counted": async (fixture) => {
    const chains = await fixture.start(
      Array.from({ length: 30 }, (_, index) => job("a", { priority: (index * 7) % 4 })),
    );
    const ahead = new Map<string, number>();
    for (const { id } of chains) ahead.set(id, await fixture.store.countAhead(id, 100, fixture.options()));
    const claimed = await fixture.claim(["a"]);
    equal(
      "place by place",
      claimed.map(({ id }) => ahead.get(id)),
      claimed.map((_, index) => index),
    );
  },

  "no job is ahead of a missing job": async (fixture) => {
    await fixture.startOne(job("a"));
    equal("0", await fixture.store.countAhead(newId(), 10, fixture.options()), 0);
  },

  "an ended job can be read in full at any later time": async (fixture) => {
    const chain = await fixture.startOne(job("a", { input: "1", priority: 2, context: "c" }));
    const createdAt = fixture.now();
    fixture.advance(10);
    const held = await fixture.claimOne("a");
    const startedAt = fixture.now();
    fixture.advance(10);
    await fixture.settled(completed(held.fence, "2"));
    const endedAt = fixture.now();
    fixture.advance(1_000_000_000_000);
    equal("the job", await fixture.job(chain.id), {
      id: chain.id,
      chainId: chain.id,
      typeName: "a",
      version: 1,
      pool: undefined,
      step: 1,
      status: "completed",
      priority: 2,
      input: "1",
      output: "2",
      outputVersion: 1,
      errors: undefined,
      attempt: 1,
      createdAt,
      scheduledAt: undefined,
      leasedBy: "worker-1",
      startedAt,
      leasedUntil: undefined,
      endedAt,
      nextJobId: undefined,
      onBlockerFailure: "fail",
      blockersLeft: 0,
      hasBlockers: false,
    });
  },
});
