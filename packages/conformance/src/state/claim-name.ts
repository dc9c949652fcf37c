import type { JobStart } from "chainwright/adapter";
import { equal, match, only } from "../check.ts";
import { blockedBy, completed, continued, deferred, failed, job } from "./build.ts";
import { accepted, type StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";

const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

/** Claims with each version and pool, and notes what each claim found. */
async function claimedBy(fixture: StateFixture, asked: readonly Pick<JobStart, "version" | "pool">[]) {
  const found: Record<string, readonly string[]> = {};
  for (const { version = 1, pool } of asked) {
    const details = pool === undefined ? { version } : { version, pool };
    found[`${version} ${pool ?? "none"}`] = ids(await fixture.claim(["a"], details));
  }
  return found;
}

/** What a worker claims, in one claim, of a type in these versions and pools. */
async function claimAll(fixture: StateFixture, types: readonly Pick<JobStart, "version" | "pool">[], limit = 100) {
  const asked = types.map(({ version, pool }) => ({ typeName: "a", version, pool, leaseMs: 30_000 }));
  const claim = { workerId: "worker-1", types: asked, limit };
  return fixture.store.exchange({ outcomes: [], claim }, fixture.options());
}

export const claimNameCases = rules("claim name", {
  "a worker that names version 1 never gets version 2, and one that names version 2 never gets version 1": async (
    fixture,
  ) => {
    const [one, two, twelve] = await fixture.start([
      job("a"),
      job("a", { version: 2 }),
      job("a", { version: 12, schedule: { afterMs: 10 } }),
    ]);
    fixture.advance(10);
    equal("each its own", await claimedBy(fixture, [{ version: 12 }, {}, { version: 2 }, { version: 3 }]), {
      "12 none": [twelve?.id ?? ""],
      "1 none": [one?.id ?? ""],
      "2 none": [two?.id ?? ""],
      "3 none": [],
    });
  },

  "a job of a pool is claimed by workers of the pool alone, and a job without one by workers without one": async (
    fixture,
  ) => {
    const pools = ["gpu", "g", "gpu2", "#2", "@gpu", undefined];
    const started = await fixture.start(pools.map((pool) => job("a", { pool, version: 2 })));
    for (const [index, pool] of pools.entries()) {
      const held = only("one job", (await claimAll(fixture, [{ version: 2, pool }])).claimed);
      match("its own", held, { id: started[index]?.id ?? "", version: 2, pool, typeName: "a" });
    }
  },

  "one claim takes several versions and pools: by priority, then in the order asked for, then the oldest": async (
    fixture,
  ) => {
    const [old, newer, pooled, urgent, plain] = await fixture.start([
      job("a", { version: 2 }),
      job("a", { version: 2 }),
      job("a", { pool: "gpu" }),
      job("a", { priority: 5, version: 3, pool: "gpu" }),
      job("a"),
    ]);
    const { claimed } = await claimAll(fixture, [{}, { version: 3, pool: "gpu" }, { version: 2 }, { pool: "gpu" }]);
    equal(
      "in this order",
      ids(claimed),
      [urgent, plain, old, newer, pooled].map((chain) => chain?.id ?? ""),
    );
    equal(
      "with its version and pool",
      claimed.map(({ version, pool }) => [version, pool]),
      [
        [3, "gpu"],
        [1, undefined],
        [2, undefined],
        [2, undefined],
        [1, "gpu"],
      ],
    );
  },

  "a claim of many names finds the few that have jobs, in the order asked for": async (fixture) => {
    const names = Array.from({ length: 400 }, (_, n) => ({
      typeName: `type ${n % 200}`,
      version: 1 + Math.floor(n / 200),
      leaseMs: 30_000,
    }));
    const [last, first, other] = await fixture.start([
      job("type 150", { version: 2 }),
      job("type 3"),
      job("type 3", { version: 3 }),
    ]);
    const claim = { workerId: "worker-1", types: names, limit: 10 };
    const { claimed, nextDueInMs } = await fixture.store.exchange({ outcomes: [], claim }, fixture.options());
    equal("those that it names", ids(claimed), [first?.id ?? "", last?.id ?? ""]);
    equal("a look when the first lease ends", nextDueInMs, 30_000);
    match("the other waits", await fixture.job(other?.id ?? ""), { status: "ready", version: 3 });
  },

  "a claim learns when the next job of its versions and pools is due, and of no other": async (fixture) => {
    await fixture.start([
      job("a", { schedule: { afterMs: 10 } }),
      job("a", { version: 2, schedule: { afterMs: 20 } }),
      job("a", { pool: "gpu", schedule: { afterMs: 30 } }),
    ]);
    equal("version 1", (await claimAll(fixture, [{}])).nextDueInMs, 10);
    equal("version 2", (await claimAll(fixture, [{ version: 2 }])).nextDueInMs, 20);
    equal("both pools", (await claimAll(fixture, [{ pool: "gpu" }, { version: 2 }])).nextDueInMs, 20);
    equal("none of another pool", (await claimAll(fixture, [{ pool: "other" }])).nextDueInMs, undefined);
  },

  "a job keeps its version and pool while it waits again, after its lease has run out too": async (fixture) => {
    const chain = await fixture.startOne(job("a", { version: 2, pool: "gpu" }));
    const own = { version: 2, pool: "gpu" };
    const first = await fixture.claimOne("a", own);
    await fixture.settled(deferred(first.fence, { schedule: { afterMs: 10 } }));
    fixture.advance(10);
    equal("not under its type", await fixture.claim(["a"]), []);
    await fixture.claimOne("a", own);
    fixture.advance(30_000);
    equal("nor after the lease", await fixture.claim(["a"]), []);
    match("again", await fixture.claimOne("a", own), { id: chain.id, attempt: 3, ...own });
  },

  "a continuation has the version and pool that it was given": async (fixture) => {
    const chain = await fixture.startOne(job("a", { version: 2, pool: "gpu" }));
    const held = await fixture.claimOne("a", { version: 2, pool: "gpu" });
    const next = job("b", { version: 3, pool: "gpu" });
    const { started } = await fixture.settled(continued(held.fence, next));
    match("told", only("one job", started), { jobId: next.id, typeName: "b", status: "ready" });
    equal("not under its type", await fixture.claim(["b"]), []);
    const second = await fixture.claimOne("b", { version: 3, pool: "gpu" });
    await fixture.settled(continued(second.fence, job("c")));
    match("without", await fixture.claimOne("c"), { chainId: chain.id, version: 1, pool: undefined });
  },

  "a caller may continue a chain from outside, to a version and a pool": async (fixture) => {
    const chain = await fixture.startOne(job("a", { version: 2, pool: "gpu" }));
    const next = job("b", { version: 2, pool: "p" });
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    match("claimed", await fixture.claimOne("b", { version: 2, pool: "p" }), { id: next.id });
  },

  "a job waits for its blockers and is then claimed in its version and pool": async (fixture) => {
    const blocker = job("x", { version: 4, pool: "io" });
    const own = { version: 2, pool: "gpu" };
    const inline = await fixture.startOne(job("a", { ...own, blockers: [{ start: blocker }] }));
    const later = await fixture.startOne(
      job("b", { ...own, schedule: { afterMs: 10 }, blockers: [blockedBy(blocker.id)] }),
    );
    equal("blocked", await fixture.claim(["a"], own), []);
    const held = await fixture.claimOne("x", { version: 4, pool: "io" });
    await fixture.settled(completed(held.fence, "1"));
    equal("not under their types", await fixture.claim(["a", "b"]), []);
    match("released", await fixture.claimOne("a", own), { id: inline.id, ...own });
    fixture.advance(10);
    match("due", await fixture.claimOne("b", own), { id: later.id, ...own });
  },

  "a retry keeps the version with the input, writes the given one with a new input, and keeps the pool": async (
    fixture,
  ) => {
    const pool = "gpu";
    const chain = await fixture.startOne(job("a", { version: 2, pool, input: "1" }));
    const retry = async (details: { readonly input?: string; readonly version?: number }) => {
      await fixture.settled(failed({ chainId: chain.id, typeName: "a" }));
      const item = { chainId: chain.id, typeName: undefined, input: details.input, version: details.version };
      accepted("retried", await fixture.store.retry([item], fixture.options()));
      return fixture.job(chain.id);
    };
    match("the same input", await retry({}), { version: 2, pool, input: "1" });
    match("in its place", await fixture.claimOne("a", { version: 2, pool }), { id: chain.id, input: "1" });
    match("a newer one", await retry({ input: "2", version: 3 }), { version: 3, pool, input: "2" });
    match("in its place", await fixture.claimOne("a", { version: 3, pool }), { id: chain.id, input: "2" });
    match("of the same version", await retry({ input: "3", version: 3 }), { version: 3, pool, input: "3" });
    match("without a version", await retry({ input: "4" }), { version: 1, pool, input: "4" });
    match("in its place", await fixture.claimOne("a", { pool }), { id: chain.id, input: "4" });
    match("up again", await retry({ input: "5", version: 2 }), { version: 2, pool, input: "5" });
    equal("in no other", await claimedBy(fixture, [{ version: 3, pool }, { pool }, {}]), {
      "3 gpu": [],
      "1 gpu": [],
      "1 none": [],
    });
    match("in its place", await fixture.claimOne("a", { version: 2, pool }), { id: chain.id });
  },

  "a retry that is undone leaves the job in its version": async (fixture) => {
    const chain = await fixture.startOne(job("a", { version: 2 }));
    await fixture.settled(failed({ chainId: chain.id, typeName: "a" }));
    const item = { chainId: chain.id, typeName: undefined, input: "2", version: 3 };
    await fixture.store
      .transaction(async (tx) => {
        accepted("retried", await fixture.store.retry([item], fixture.options(tx)));
        throw new Error("undo");
      })
      .catch(() => undefined);
    match("as before", await fixture.job(chain.id), { status: "failed", version: 2, input: "{}" });
    accepted("retried", await fixture.store.retry([{ ...item, input: undefined }], fixture.options()));
    equal("not in the other version", await fixture.claim(["a"], { version: 3 }), []);
    match("in its own", await fixture.claimOne("a", { version: 2 }), { id: chain.id });
  },

  "jobs that fail with a blocker and are blocked again keep their version and pool": async (fixture) => {
    const own = { version: 2, pool: "gpu" };
    const blocker = await fixture.startOne(job("x", own));
    const chain = await fixture.startOne(job("a", { ...own, blockers: [blockedBy(blocker.id)] }));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    const item = { chainId: blocker.id, typeName: undefined, input: undefined };
    accepted("retried", await fixture.store.retry([item], fixture.options()));
    await fixture.settled(completed((await fixture.claimOne("x", own)).fence));
    match("released", await fixture.claimOne("a", own), { id: chain.id, ...own });
  },

  "a triggered job is claimed in its version and pool": async (fixture) => {
    const own = { version: 2, pool: "gpu" };
    const chain = await fixture.startOne(job("a", { ...own, schedule: { afterMs: 1_000_000 } }));
    accepted("triggered", await fixture.store.trigger([chain.id], fixture.options()));
    equal("not under its type", await fixture.claim(["a"]), []);
    match("claimed", await fixture.claimOne("a", own), { id: chain.id });
  },

  "only jobs of the same version and pool are ahead of a job": async (fixture) => {
    const own = { version: 2, pool: "gpu" };
    const [, , , , last] = await fixture.start([
      job("a"),
      job("a", { version: 2 }),
      job("a", { pool: "gpu" }),
      job("a", own),
      job("a", own),
    ]);
    equal("one", await fixture.store.countAhead(last?.id ?? "", 10, fixture.options()), 1);
  },
});
