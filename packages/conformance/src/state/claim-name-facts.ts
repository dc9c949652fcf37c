import { equal, match, only, present, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { accepted, refused, type StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { counts, queued } from "./listing.ts";

const own = { version: 2, pool: "gpu" };

const typeNamesOf = (list: readonly { readonly typeName: string }[]) => list.map(({ typeName }) => typeName);

async function listDue(fixture: StateFixture, typeNames: readonly string[] | undefined) {
  const query = { typeNames, after: undefined, limit: 10 };
  return fixture.store.listDue(query, fixture.options());
}

export const claimNameFactCases = rules("versions and pools", {
  "are read with jobs, chains and blockers, each with the payload that it belongs to": async (fixture) => {
    const blocker = job("x", { version: 3, input: "1" });
    const chain = await fixture.startOne(job("a", { ...own, input: "2", blockers: [{ start: blocker }] }));
    equal("the input's", chain.version, 2);
    await fixture.settled(completed((await fixture.claimOne("x", { version: 3 })).fence, '"out"', 5));
    match("the blocker", await fixture.chain(blocker.id), { version: 3, outputVersion: 5, output: '"out"' });
    match("its job", await fixture.job(blocker.id), { version: 3, outputVersion: 5, pool: undefined });
    const held = await fixture.claimOne("a", own);
    match("the claimed job", held, { ...own, input: "2" });
    match("its blocker", only("one", held.blockers), { version: 3, outputVersion: 5, output: '"out"' });
    await fixture.settled(continued(held.fence, job("b", { version: 4 })));
    match("the first job", await fixture.job(chain.id), { ...own, outputVersion: 1 });
    await fixture.settled(completed((await fixture.claimOne("b", { version: 4 })).fence, "null", 6));
    match("the chain has the first input and the last output", await fixture.chain(chain.id), {
      version: 2,
      outputVersion: 6,
      input: "2",
    });
    const query = { jobId: chain.id, afterPosition: undefined, limit: 10 };
    const listed = only("one", await fixture.store.listBlockers(query, fixture.options()));
    match("a listed blocker", listed.chain, { version: 3, outputVersion: 5 });
  },

  "of outputs are those of each outcome, also where one call settles several": async (fixture) => {
    await fixture.start([job("a"), job("a", own), job("a"), job("a", own)]);
    const held = [...(await fixture.claim(["a"])), ...(await fixture.claim(["a"], own))];
    const [first, second, third, fourth] = held.map(({ fence }) => fence);
    const outcomes = [
      completed(present("1", first), '"1"', 3),
      failed(present("2", second)),
      completed(present("3", third), '"3"'),
      completed(present("4", fourth), '"4"', 2),
    ];
    const replies = await fixture.store.settle(outcomes, fixture.options());
    for (const reply of replies) match("settled", reply, { status: "settled", typeName: "a" });
    const jobs = await Promise.all(held.map(({ id }) => fixture.job(id)));
    equal(
      "output and version",
      jobs.map(({ output, outputVersion }) => [output, outputVersion]),
      [
        ['"1"', 3],
        [undefined, 1],
        ['"3"', 1],
        ['"4"', 2],
      ],
    );
    equal("counted", await counts(fixture), { "a completed": 3, "a failed": 1 });
  },

  "a start that returns another chain returns the version of that chain's input": async (fixture) => {
    const deduplication = { key: "k", scope: "any", windowMs: undefined } as const;
    const first = await fixture.startOne(job("a", { version: 2, input: "1", deduplication }));
    match("the chain's", await fixture.startOne(job("a", { version: 3, input: "2", deduplication })), {
      id: first.id,
      deduplicated: true,
      version: 2,
      input: "1",
    });
    match("the holder's", present("it", (await fixture.store.getKeyHolders(["k"], fixture.options()))[0]), {
      version: 2,
    });
  },

  "do not show in what a start, a settlement and a release say of types": async (fixture) => {
    const blocker = job("x", own);
    const { jobs } = await fixture.startOne(job("a", { ...own, blockers: [{ start: blocker }] }));
    sameMembers("started", typeNamesOf(jobs), ["a", "x"]);
    const failing = await fixture.startOne(job("b", { ...own, blockers: [blockedBy(blocker.id)] }));
    const settled = await fixture.settled(completed((await fixture.claimOne("x", own)).fence));
    equal("settled", settled.typeName, "x");
    sameMembers("unblocked", typeNamesOf(settled.unblocked), ["a", "b"]);
    const next = await fixture.settled(continued((await fixture.claimOne("a", own)).fence, job("c", own)));
    equal("continued", [next.typeName, ...typeNamesOf(next.started)], ["a", "c"]);
    const failure = await fixture.settled(failed((await fixture.claimOne("b", own)).fence));
    equal("failed", [failure.typeName, failure.chainId], ["b", failing.id]);
    equal("counted", await counts(fixture), { "x completed": 1, "a completed": 1, "b failed": 1, "c ready": 1 });
  },

  "do not show in what a cancellation, a retry and a failure of a dependent say of types": async (fixture) => {
    const blocker = await fixture.startOne(job("x", own));
    await fixture.startOne(job("a", { ...own, blockers: [blockedBy(blocker.id)] }));
    await fixture.claimOne("x", own);
    const items = [{ chainId: blocker.id, reason: undefined }];
    const cancelled = only("one", accepted("cancelled", await fixture.store.cancel(items, fixture.options())));
    equal("cancelled", [cancelled.typeName, cancelled.interrupted], ["x", "worker-1"]);
    equal("failed", typeNamesOf(cancelled.failed), ["a"]);
    const item = { chainId: blocker.id, typeName: "x", input: undefined };
    const retried = only("one", accepted("retried", await fixture.store.retry([item], fixture.options())));
    equal("retried", [retried.job.typeName, ...typeNamesOf(retried.reblocked)], ["x", "a"]);
  },

  "do not show in what a trigger, a deletion and a refusal say of types": async (fixture) => {
    const chain = await fixture.startOne(job("a", { ...own, schedule: { afterMs: 1_000 } }));
    const triggered = accepted("triggered", await fixture.store.trigger([chain.id], fixture.options()));
    equal("triggered", typeNamesOf(triggered), ["a"]);
    const wrong = await fixture.settle(completed({ chainId: chain.id, typeName: "b" }));
    match("refused", wrong, { status: "refused", refusal: { code: "job-type-mismatch", id: chain.id, actual: "a" } });
    const named = job("c", { blockers: [blockedBy(chain.id, "b")] });
    const [reply] = await fixture.store.start([{ starts: [named] }], fixture.options());
    match("refused", refused("refused", present("a reply", reply)), { code: "job-type-mismatch", actual: "a" });
    const request = { chainIds: [chain.id], cascade: false };
    const removed = accepted("deleted", await fixture.store.remove(request, fixture.options()));
    equal("deleted", typeNamesOf(removed), ["a"]);
  },

  "are counted with the jobs that are ready, scheduled or running": async (fixture) => {
    equal("none", await queued(fixture), {});
    const due = { schedule: { afterMs: 1_000 } };
    await fixture.start([
      job("a"),
      job("a", own),
      job("a", own),
      job("a", { ...own, priority: 5 }),
      job("a", { pool: "gpu" }),
    ]);
    await fixture.start([job("a", { version: 3, ...due }), job("a", { ...own, ...due }), job("b", due)]);
    await fixture.startOne(job("c", { blockers: [{ start: job("d", due) }] }));
    await fixture.settled(completed((await fixture.claimOne("a")).fence));
    await fixture.claim(["a"], { ...own, limit: 1, leaseMs: 2_000 });
    equal("by status", await queued(fixture), {
      "a 2 gpu ready": 2,
      "a 2 gpu running": 1,
      "a 1 gpu ready": 1,
      "a 3 - scheduled": 1,
      "a 2 gpu scheduled": 1,
      "b 1 - scheduled": 1,
      "d 1 - scheduled": 1,
    });
    fixture.advance(1_000);
    equal("when they are due", await queued(fixture), {
      "a 2 gpu ready": 3,
      "a 2 gpu running": 1,
      "a 1 gpu ready": 1,
      "a 3 - ready": 1,
      "b 1 - ready": 1,
      "d 1 - ready": 1,
    });
    fixture.advance(1_000);
    match("when the lease has run out", await queued(fixture), { "a 2 gpu ready": 4 });
  },

  "do not show in lists and counts, which find jobs by their types": async (fixture) => {
    const due = { schedule: { afterMs: 1_000 } };
    const started = await fixture.start([
      job("a", { ...own, ...due }),
      job("a", due),
      job("a", { version: 3, ...due }),
      job("ab", { ...own, ...due }),
      job("A", { pool: "gpu", ...due }),
    ]);
    const ids = started.map(({ id }) => id);
    sameMembers(
      "due",
      (await listDue(fixture, ["a"])).map(({ id }) => id),
      ids.slice(0, 3),
    );
    sameMembers("of two types", typeNamesOf(await listDue(fixture, ["ab", "A", "none"])), ["ab", "A"]);
    sameMembers("of all types", typeNamesOf(await listDue(fixture, undefined)), ["a", "a", "a", "ab", "A"]);
    equal("counted together", await counts(fixture), { "a scheduled": 3, "ab scheduled": 1, "A scheduled": 1 });
    fixture.advance(1_000);
    equal("and when they are ready", await counts(fixture), { "a ready": 3, "ab ready": 1, "A ready": 1 });
    await fixture.claim(["a"], own);
    equal("and while they run", await counts(fixture), { "a running": 1, "a ready": 2, "ab ready": 1, "A ready": 1 });
  },
});
