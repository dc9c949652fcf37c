import type { DeduplicationScope, JobStart } from "chainwright/adapter";
import { equal, match, only, present } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, countsAgree, jobs, statuses } from "./listing.ts";
import { accepted, refused } from "./fixture.ts";

interface Key {
  readonly scope?: DeduplicationScope;
  readonly windowMs?: number;
}

function keyed(key: string, { scope = "active", windowMs }: Key = {}, details: Partial<JobStart> = {}): JobStart {
  return job("a", { deduplication: { key, scope, windowMs }, ...details });
}

export const deduplicationCases = rules("deduplication", {
  "a second start with a key returns the chain that holds it, and writes nothing": async (fixture) => {
    const first = await fixture.startOne(keyed("k", {}, { input: "1" }));
    fixture.advance(50);
    equal("the second", await fixture.startOne(keyed("k", {}, { input: "2", priority: 9 })), {
      ...first,
      deduplicated: true,
      jobs: [],
    });
    equal("one chain", (await chains(fixture)).length, 1);
    match("as it was", await fixture.job(first.id), { input: "1", priority: 0 });
  },

  "other keys and no key start chains of their own": async (fixture) => {
    const started = await fixture.start([keyed("k"), keyed("K"), keyed("k "), keyed(""), job("a"), job("a")]);
    equal(
      "none deduplicated",
      started.map((chain) => chain.deduplicated),
      [false, false, false, false, false, false],
    );
  },

  "of two starts with one key in one call the second returns the chain of the first": async (fixture) => {
    const [one, two] = await fixture.start([keyed("k", {}, { input: "1" }), keyed("k", {}, { input: "2" })]);
    match("the first", one, { deduplicated: false });
    match("the second", two, { id: present("the first", one).id, deduplicated: true, input: "1", jobs: [] });
    equal("one chain", (await chains(fixture)).length, 1);
  },

  "of two calls with one key in one batch the second returns the chain of the first": async (fixture) => {
    const replies = await fixture.store.start([{ starts: [keyed("k")] }, { starts: [keyed("k")] }], fixture.options());
    const [one, two] = replies.flatMap((reply) => accepted("accepted", reply));
    match("the first", one, { deduplicated: false });
    match("the second", two, { id: present("the first", one).id, deduplicated: true });
  },

  "the key is free again when the chain completes, fails, is cancelled or deleted": async (fixture) => {
    const ends: readonly ((chainId: string) => Promise<unknown>)[] = [
      (chainId) => fixture.settled(completed({ chainId, typeName: "a" })),
      (chainId) => fixture.settled(failed({ chainId, typeName: "a" })),
      (chainId) => fixture.store.cancel([{ chainId, reason: undefined }], fixture.options()),
      (chainId) => fixture.store.remove({ chainIds: [chainId], cascade: false }, fixture.options()),
    ];
    for (const end of ends) {
      const first = await fixture.startOne(keyed("k"));
      match("a chain of its own", first, { deduplicated: false });
      await end(first.id);
    }
    match("free at last", await fixture.startOne(keyed("k")), { deduplicated: false });
  },

  "the key is free again when a blocker fails the chain": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    await fixture.startOne(keyed("k", {}, { blockers: [blockedBy(blocker.id)] }));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    match("free", await fixture.startOne(keyed("k")), { deduplicated: false });
  },

  "the key stays taken while later steps of the chain are open": async (fixture) => {
    const chain = await fixture.startOne(keyed("k"));
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, job("b")));
    match("after the first step", await fixture.startOne(keyed("k")), { id: chain.id, deduplicated: true });
    await fixture.settled(continued({ chainId: chain.id, typeName: "b" }, job("c")));
    match("after the second step", await fixture.startOne(keyed("k")), { id: chain.id, deduplicated: true });
    await fixture.settled(completed({ chainId: chain.id, typeName: "c" }));
    match("after the last", await fixture.startOne(keyed("k")), { deduplicated: false });
  },

  "with a window, an active chain holds its key until the window has passed": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { windowMs: 1_000 }));
    fixture.advance(999);
    match("within", await fixture.startOne(keyed("k", { windowMs: 1_000 })), { id: first.id, deduplicated: true });
    fixture.advance(1);
    match("at its end", await fixture.startOne(keyed("k", { windowMs: 1_000 })), { deduplicated: false });
  },

  "with a window, an active chain's end frees the key before the window has passed": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { windowMs: 1_000 }));
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    match("free", await fixture.startOne(keyed("k", { windowMs: 1_000 })), { deduplicated: false });
  },

  "a chain that outlived its window does not free the key of its successor, however it ends": async (fixture) => {
    const ends: Readonly<Record<string, (chainId: string) => Promise<unknown>>> = {
      outside: (chainId) => fixture.settled(completed({ chainId, typeName: "a" })),
      worker: async () => fixture.settled(completed((await fixture.claimOne("a")).fence)),
      "worker, with another": async () => {
        await fixture.startOne(job("other"));
        const held = await fixture.claim(["a", "other"], { limit: 2 });
        const outcomes = held.map(({ fence }) => completed(fence));
        const replies = await fixture.store.settle(outcomes, fixture.options());
        equal(
          "both settle",
          replies.map(({ status }) => status),
          ["settled", "settled"],
        );
      },
    };
    for (const [key, end] of Object.entries(ends)) {
      const first = await fixture.startOne(keyed(key, { windowMs: 1_000 }));
      fixture.advance(1_000);
      const second = await fixture.startOne(keyed(key, {}, { priority: -1 }));
      match("a second chain", second, { deduplicated: false });
      await end(first.id);
      match("the key is the second's", await fixture.startOne(keyed(key)), { id: second.id, deduplicated: true });
    }
  },

  "deleting a chain that outlived its window does not free the key of its successor": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { scope: "any", windowMs: 1_000 }));
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    fixture.advance(1_000);
    const second = await fixture.startOne(keyed("k"));
    await fixture.store.remove({ chainIds: [first.id], cascade: false }, fixture.options());
    match("the key is the second's", await fixture.startOne(keyed("k")), { id: second.id, deduplicated: true });
  },

  "with scope any the key is held after the end of the chain, and a start returns its status": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { scope: "any" }));
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    fixture.advance(1_000_000_000);
    match("completed", await fixture.startOne(keyed("k", { scope: "any" })), {
      id: first.id,
      deduplicated: true,
      status: "completed",
    });
    const second = await fixture.startOne(keyed("l", { scope: "any" }));
    await fixture.settled(failed({ chainId: second.id, typeName: "a" }));
    match("failed", await fixture.startOne(keyed("l", { scope: "any" })), { id: second.id, status: "failed" });
  },

  "scope any with a window holds the key until the window has passed, and no longer": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { scope: "any", windowMs: 1_000 }));
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    fixture.advance(999);
    match("within", await fixture.startOne(keyed("k", { scope: "any" })), { id: first.id, deduplicated: true });
    fixture.advance(1);
    match("at its end", await fixture.startOne(keyed("k", { scope: "any" })), { deduplicated: false });
  },

  "scope any without a window holds the key until the chain is deleted": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { scope: "any" }));
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    await fixture.store.remove({ chainIds: [first.id], cascade: false }, fixture.options());
    match("free", await fixture.startOne(keyed("k", { scope: "any" })), { deduplicated: false });
  },

  "the scope of the chain that holds the key counts, not that of the later start": async (fixture) => {
    const first = await fixture.startOne(keyed("k", { scope: "any" }));
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    match("held", await fixture.startOne(keyed("k", { scope: "active" })), { id: first.id, deduplicated: true });
  },

  "inline blockers of a deduplicated start are not started": async (fixture) => {
    const first = await fixture.startOne(keyed("k"));
    const inline = job("x", { blockers: [{ start: job("y") }] });
    const second = await fixture.startOne(keyed("k", {}, { blockers: [{ start: inline }] }));
    match("deduplicated", second, { id: first.id, jobs: [] });
    equal(
      "one job",
      (await jobs(fixture)).map((record) => record.id),
      [first.id],
    );
  },

  "an inline blocker with a key that is held is the chain that holds it": async (fixture) => {
    const holder = await fixture.startOne(keyed("k"));
    const start = job("b", { blockers: [{ start: keyed("k") }] });
    const chain = await fixture.startOne(start);
    equal(
      "written: the job alone",
      chain.jobs.map(({ jobId, status }) => [jobId, status]),
      [[start.id, "blocked"]],
    );
    await fixture.settled(completed({ chainId: holder.id, typeName: "a" }, '"held"'));
    equal("its output", only("one blocker", (await fixture.claimOne("b")).blockers).output, '"held"');
  },

  "an inline blocker with a key held by a completed chain is satisfied": async (fixture) => {
    const holder = await fixture.startOne(keyed("k", { scope: "any" }));
    await fixture.settled(completed({ chainId: holder.id, typeName: "a" }, '"held"'));
    const chain = await fixture.startOne(job("b", { blockers: [{ start: keyed("k", { scope: "any" }) }] }));
    equal("ready at once", only("one job", chain.jobs).status, "ready");
    equal("its output", only("one blocker", (await fixture.claimOne("b")).blockers).output, '"held"');
  },

  "two jobs whose inline blockers have one key wait for one chain": async (fixture) => {
    const [one, two] = await fixture.start([
      job("b", { blockers: [{ start: keyed("k") }] }),
      job("b", { blockers: [{ start: keyed("k") }] }),
    ]);
    equal("three jobs", (await jobs(fixture)).length, 3);
    const { unblocked } = await fixture.settled(completed((await fixture.claimOne("a")).fence));
    equal(
      "both freed",
      unblocked.map(({ jobId }) => jobId),
      [one, two].map((chain) => chain?.id).toSorted((left = "", right = "") => (left < right ? -1 : 1)),
    );
  },

  "two inline blockers of one job with one key are the same chain": async (fixture) => {
    const start = job("b", { blockers: [{ start: keyed("k") }, { start: keyed("k") }] });
    await fixture.startOne(start);
    equal("two jobs", (await jobs(fixture)).length, 2);
    await fixture.settled(completed((await fixture.claimOne("a")).fence, "8"));
    equal(
      "its blockers",
      (await fixture.claimOne("b")).blockers.map(({ output }) => output),
      ["8", "8"],
    );
  },

  "a retried chain takes its key again": async (fixture) => {
    const first = await fixture.startOne(keyed("k"));
    await fixture.settled(failed({ chainId: first.id, typeName: "a" }));
    accepted(
      "retried",
      await fixture.store.retry([{ chainId: first.id, input: undefined, typeName: undefined }], fixture.options()),
    );
    match("held", await fixture.startOne(keyed("k")), { id: first.id, deduplicated: true });
    await fixture.settled(completed({ chainId: first.id, typeName: "a" }));
    match("and freed", await fixture.startOne(keyed("k")), { deduplicated: false });
  },

  "a chain whose key another chain holds cannot be retried": async (fixture) => {
    const first = await fixture.startOne(keyed("k"));
    await fixture.settled(failed({ chainId: first.id, typeName: "a" }));
    const second = await fixture.startOne(keyed("k"));
    const retry = () =>
      fixture.store.retry([{ chainId: first.id, input: undefined, typeName: undefined }], fixture.options());
    match("refused", refused("refused", await retry()), {
      code: "chain-not-retryable",
      id: first.id,
      references: [second.id],
    });
    equal("as they were", await statuses(fixture, [first.id, second.id]), ["failed", "active"]);
    await fixture.settled(completed({ chainId: second.id, typeName: "a" }));
    accepted("once it is free", await retry());
  },

  "a chain that fails at its start frees its key for the next start of the call": async (fixture) => {
    const broken = await fixture.startOne(job("x"));
    await fixture.settled(failed({ chainId: broken.id, typeName: "x" }));
    const key = { key: "k", scope: "active", windowMs: undefined } as const;
    const doomed = (details: Partial<JobStart> = {}) =>
      job("a", { deduplication: key, blockers: [blockedBy(broken.id)], ...details });
    const starts = [doomed(), job("b"), doomed(), job("a", { deduplication: key }), doomed()];
    const started = await fixture.start(starts);
    equal(
      "as if one call had come after the other",
      started.map(({ id, status, deduplicated }) => [
        starts.findIndex((start) => start.id === id),
        status,
        deduplicated,
      ]),
      [
        [0, "failed", false],
        [1, "active", false],
        [2, "failed", false],
        [3, "active", false],
        [3, "active", true],
      ],
    );
    const any = { ...key, key: "any", scope: "any" } as const;
    const kept = await fixture.start([doomed({ deduplication: any }), doomed({ deduplication: any })]);
    equal("a key of scope any is kept", kept[1]?.id, kept[0]?.id);
    const calls = [
      [doomed({ deduplication: { ...key, key: "l" } })],
      [doomed({ deduplication: { ...key, key: "l" } })],
    ];
    const replies = await fixture.store.start(
      calls.map((each) => ({ starts: each })),
      fixture.options(),
    );
    equal(
      "and for the next call of the batch",
      replies.map((reply) => reply.ok && reply.value[0]?.deduplicated),
      [false, false],
    );
    await countsAgree(fixture);
  },
});
