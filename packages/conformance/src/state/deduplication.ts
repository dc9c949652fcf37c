import type { DeduplicationScope, JobStart } from "chainwright/adapter";
import { equal, match, only, present } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, countsAgree, jobs, statuses } from "./listing.ts";
import { accepted, refused } from "./stage.ts";

interface Key {
  readonly scope?: DeduplicationScope;
  readonly windowMs?: number;
}

function keyed(key: string, { scope = "active", windowMs }: Key = {}, details: Partial<JobStart> = {}): JobStart {
  return job("a", { deduplication: { key, scope, windowMs }, ...details });
}

export const deduplicationCases = rules("deduplication", {
  "a second start with a key answers the chain that holds it, and writes nothing": async (stage) => {
    const first = await stage.startOne(keyed("k", {}, { input: "1" }));
    stage.advance(50);
    equal("the second", await stage.startOne(keyed("k", {}, { input: "2", priority: 9 })), {
      ...first,
      deduplicated: true,
      jobs: [],
    });
    equal("one chain", (await chains(stage)).length, 1);
    match("as it was", await stage.job(first.id), { input: "1", priority: 0 });
  },

  "other keys and no key start chains of their own": async (stage) => {
    const started = await stage.start([keyed("k"), keyed("K"), keyed("k "), keyed(""), job("a"), job("a")]);
    equal(
      "none deduplicated",
      started.map((chain) => chain.deduplicated),
      [false, false, false, false, false, false],
    );
  },

  "two starts with a key in one call: the second is the first": async (stage) => {
    const [one, two] = await stage.start([keyed("k", {}, { input: "1" }), keyed("k", {}, { input: "2" })]);
    match("the first", one, { deduplicated: false });
    match("the second", two, { id: present("the first", one).id, deduplicated: true, input: "1", jobs: [] });
    equal("one chain", (await chains(stage)).length, 1);
  },

  "two calls with a key in one batch: the second is the first": async (stage) => {
    const replies = await stage.store.start([{ starts: [keyed("k")] }, { starts: [keyed("k")] }], stage.options());
    const [one, two] = replies.flatMap((reply) => accepted("accepted", reply));
    match("the first", one, { deduplicated: false });
    match("the second", two, { id: present("the first", one).id, deduplicated: true });
  },

  "the key is free again when the chain completes, fails, is cancelled or deleted": async (stage) => {
    const ends: readonly ((chainId: string) => Promise<unknown>)[] = [
      (chainId) => stage.settled(completed({ chainId, typeName: "a" })),
      (chainId) => stage.settled(failed({ chainId, typeName: "a" })),
      (chainId) => stage.store.cancel([{ chainId, reason: undefined }], stage.options()),
      (chainId) => stage.store.remove({ chainIds: [chainId], cascade: false }, stage.options()),
    ];
    for (const end of ends) {
      const first = await stage.startOne(keyed("k"));
      match("a chain of its own", first, { deduplicated: false });
      await end(first.id);
    }
    match("free at last", await stage.startOne(keyed("k")), { deduplicated: false });
  },

  "the key is free again when a blocker fails the chain": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    await stage.startOne(keyed("k", {}, { blockers: [blockedBy(blocker.id)] }));
    await stage.settled(failed({ chainId: blocker.id, typeName: "x" }));
    match("free", await stage.startOne(keyed("k")), { deduplicated: false });
  },

  "the key stays taken while later steps of the chain are open": async (stage) => {
    const chain = await stage.startOne(keyed("k"));
    await stage.settled(continued({ chainId: chain.id, typeName: "a" }, job("b")));
    match("after the first step", await stage.startOne(keyed("k")), { id: chain.id, deduplicated: true });
    await stage.settled(continued({ chainId: chain.id, typeName: "b" }, job("c")));
    match("after the second step", await stage.startOne(keyed("k")), { id: chain.id, deduplicated: true });
    await stage.settled(completed({ chainId: chain.id, typeName: "c" }));
    match("after the last", await stage.startOne(keyed("k")), { deduplicated: false });
  },

  "with a window, an active chain holds its key until the window has passed": async (stage) => {
    const first = await stage.startOne(keyed("k", { windowMs: 1_000 }));
    stage.advance(999);
    match("within", await stage.startOne(keyed("k", { windowMs: 1_000 })), { id: first.id, deduplicated: true });
    stage.advance(1);
    match("at its end", await stage.startOne(keyed("k", { windowMs: 1_000 })), { deduplicated: false });
  },

  "with a window, an active chain's end frees the key before the window has passed": async (stage) => {
    const first = await stage.startOne(keyed("k", { windowMs: 1_000 }));
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    match("free", await stage.startOne(keyed("k", { windowMs: 1_000 })), { deduplicated: false });
  },

  "a chain that outlived its window does not free the key of its successor, whoever ends it": async (stage) => {
    const ends: Readonly<Record<string, (chainId: string) => Promise<unknown>>> = {
      outside: (chainId) => stage.settled(completed({ chainId, typeName: "a" })),
      worker: async () => stage.settled(completed((await stage.claimOne("a")).fence)),
    };
    for (const [key, end] of Object.entries(ends)) {
      const first = await stage.startOne(keyed(key, { windowMs: 1_000 }));
      stage.advance(1_000);
      const second = await stage.startOne(keyed(key, {}, { priority: -1 }));
      match("a second chain", second, { deduplicated: false });
      await end(first.id);
      match("the key is the second's", await stage.startOne(keyed(key)), { id: second.id, deduplicated: true });
    }
  },

  "deleting a chain that outlived its window does not free the key of its successor": async (stage) => {
    const first = await stage.startOne(keyed("k", { scope: "any", windowMs: 1_000 }));
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    stage.advance(1_000);
    const second = await stage.startOne(keyed("k"));
    await stage.store.remove({ chainIds: [first.id], cascade: false }, stage.options());
    match("the key is the second's", await stage.startOne(keyed("k")), { id: second.id, deduplicated: true });
  },

  "scope any holds the key whatever became of the chain, and answers its status": async (stage) => {
    const first = await stage.startOne(keyed("k", { scope: "any" }));
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    stage.advance(1_000_000_000);
    match("completed", await stage.startOne(keyed("k", { scope: "any" })), {
      id: first.id,
      deduplicated: true,
      status: "completed",
    });
    const second = await stage.startOne(keyed("l", { scope: "any" }));
    await stage.settled(failed({ chainId: second.id, typeName: "a" }));
    match("failed", await stage.startOne(keyed("l", { scope: "any" })), { id: second.id, status: "failed" });
  },

  "scope any with a window holds the key until the window has passed, and no longer": async (stage) => {
    const first = await stage.startOne(keyed("k", { scope: "any", windowMs: 1_000 }));
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    stage.advance(999);
    match("within", await stage.startOne(keyed("k", { scope: "any" })), { id: first.id, deduplicated: true });
    stage.advance(1);
    match("at its end", await stage.startOne(keyed("k", { scope: "any" })), { deduplicated: false });
  },

  "scope any without a window holds the key until the chain is deleted": async (stage) => {
    const first = await stage.startOne(keyed("k", { scope: "any" }));
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    await stage.store.remove({ chainIds: [first.id], cascade: false }, stage.options());
    match("free", await stage.startOne(keyed("k", { scope: "any" })), { deduplicated: false });
  },

  "the scope of the chain that holds the key counts, not that of the start which meets it": async (stage) => {
    const first = await stage.startOne(keyed("k", { scope: "any" }));
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    match("held", await stage.startOne(keyed("k", { scope: "active" })), { id: first.id, deduplicated: true });
  },

  "inline blockers of a deduplicated start are not begun": async (stage) => {
    const first = await stage.startOne(keyed("k"));
    const inline = job("x", { blockers: [{ start: job("y") }] });
    const second = await stage.startOne(keyed("k", {}, { blockers: [{ start: inline }] }));
    match("deduplicated", second, { id: first.id, jobs: [] });
    equal(
      "one job",
      (await jobs(stage)).map((record) => record.id),
      [first.id],
    );
  },

  "an inline blocker with a key that is held is the chain that holds it": async (stage) => {
    const holder = await stage.startOne(keyed("k"));
    const start = job("b", { blockers: [{ start: keyed("k") }] });
    const chain = await stage.startOne(start);
    equal(
      "written: the job alone",
      chain.jobs.map(({ jobId, status }) => [jobId, status]),
      [[start.id, "blocked"]],
    );
    await stage.settled(completed({ chainId: holder.id, typeName: "a" }, '"held"'));
    equal("its output", only("one blocker", (await stage.claimOne("b")).blockers).output, '"held"');
  },

  "an inline blocker with a key held by a completed chain is satisfied": async (stage) => {
    const holder = await stage.startOne(keyed("k", { scope: "any" }));
    await stage.settled(completed({ chainId: holder.id, typeName: "a" }, '"held"'));
    const chain = await stage.startOne(job("b", { blockers: [{ start: keyed("k", { scope: "any" }) }] }));
    equal("ready at once", only("one job", chain.jobs).status, "ready");
    equal("its output", only("one blocker", (await stage.claimOne("b")).blockers).output, '"held"');
  },

  "two jobs whose inline blockers have one key wait for one chain": async (stage) => {
    const [one, two] = await stage.start([
      job("b", { blockers: [{ start: keyed("k") }] }),
      job("b", { blockers: [{ start: keyed("k") }] }),
    ]);
    equal("three jobs", (await jobs(stage)).length, 3);
    const { unblocked } = await stage.settled(completed((await stage.claimOne("a")).fence));
    equal(
      "both freed",
      unblocked.map(({ jobId }) => jobId),
      [one, two].map((chain) => chain?.id).toSorted((left = "", right = "") => (left < right ? -1 : 1)),
    );
  },

  "of one job, two inline blockers with one key are one chain twice": async (stage) => {
    const start = job("b", { blockers: [{ start: keyed("k") }, { start: keyed("k") }] });
    await stage.startOne(start);
    equal("two jobs", (await jobs(stage)).length, 2);
    await stage.settled(completed((await stage.claimOne("a")).fence, "8"));
    equal(
      "its blockers",
      (await stage.claimOne("b")).blockers.map(({ output }) => output),
      ["8", "8"],
    );
  },

  "a retried chain takes its key again": async (stage) => {
    const first = await stage.startOne(keyed("k"));
    await stage.settled(failed({ chainId: first.id, typeName: "a" }));
    accepted(
      "retried",
      await stage.store.retry([{ chainId: first.id, input: undefined, typeName: undefined }], stage.options()),
    );
    match("held", await stage.startOne(keyed("k")), { id: first.id, deduplicated: true });
    await stage.settled(completed({ chainId: first.id, typeName: "a" }));
    match("and freed", await stage.startOne(keyed("k")), { deduplicated: false });
  },

  "a chain whose key another chain holds cannot be retried": async (stage) => {
    const first = await stage.startOne(keyed("k"));
    await stage.settled(failed({ chainId: first.id, typeName: "a" }));
    const second = await stage.startOne(keyed("k"));
    const retry = () =>
      stage.store.retry([{ chainId: first.id, input: undefined, typeName: undefined }], stage.options());
    match("refused", refused("refused", await retry()), {
      code: "chain-not-retryable",
      id: first.id,
      references: [second.id],
    });
    equal("as they were", await statuses(stage, [first.id, second.id]), ["failed", "active"]);
    await stage.settled(completed({ chainId: second.id, typeName: "a" }));
    accepted("once it is free", await retry());
  },

  "a chain that fails as it begins has freed its key for the next start of the call": async (stage) => {
    const broken = await stage.startOne(job("x"));
    await stage.settled(failed({ chainId: broken.id, typeName: "x" }));
    const key = { key: "k", scope: "active", windowMs: undefined } as const;
    const doomed = (details: Partial<JobStart> = {}) =>
      job("a", { deduplication: key, blockers: [blockedBy(broken.id)], ...details });
    const starts = [doomed(), job("b"), doomed(), job("a", { deduplication: key }), doomed()];
    const told = await stage.start(starts);
    equal(
      "as if one call had come after the other",
      told.map(({ id, status, deduplicated }) => [starts.findIndex((start) => start.id === id), status, deduplicated]),
      [
        [0, "failed", false],
        [1, "active", false],
        [2, "failed", false],
        [3, "active", false],
        [3, "active", true],
      ],
    );
    const any = { ...key, key: "any", scope: "any" } as const;
    const kept = await stage.start([doomed({ deduplication: any }), doomed({ deduplication: any })]);
    equal("a key of scope any is kept", kept[1]?.id, kept[0]?.id);
    const calls = [
      [doomed({ deduplication: { ...key, key: "l" } })],
      [doomed({ deduplication: { ...key, key: "l" } })],
    ];
    const replies = await stage.store.start(
      calls.map((each) => ({ starts: each })),
      stage.options(),
    );
    equal(
      "and for the next call of the batch",
      replies.map((reply) => reply.ok && reply.value[0]?.deduplicated),
      [false, false],
    );
    await countsAgree(stage);
  },
});
