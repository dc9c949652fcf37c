import type { ChainQuery, DueQuery, JobQuery } from "chainwright/adapter";
import { equal, holds, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chains, jobs } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

function byId(ids: readonly string[]): readonly string[] {
  return ids.toSorted((left, right) => (left < right ? -1 : Number(left > right)));
}

type Walk = (fixture: StateFixture, after: string | undefined) => Promise<readonly { readonly id: string }[]>;

/** All pages of a list, one after the other, with something done between them. */
async function walk(fixture: StateFixture, next: Walk, between: () => Promise<void>): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    const page = await next(fixture, seen.at(-1));
    if (page.length === 0) return seen;
    seen.push(...idsOf(page));
    await between();
  }
  throw new Error("a hundred pages and no end");
}

const lists: Readonly<Record<string, (order: ChainQuery["order"]) => Walk>> = {
  chains: (order) => (fixture, after) => chains(fixture, { after, order, limit: 7 }),
  jobs: (order) => (fixture, after) => jobs(fixture, { after, order, limit: 7 }),
};

const walkCases = Object.fromEntries(
  Object.entries(lists).flatMap(([what, walkIn]) =>
    (["ascending", "descending"] as const).map((order) => [
      `pages of ${what}, ${order}, neither skip nor repeat a row, whatever comes and goes between them`,
      async (fixture: StateFixture) => {
        const all = byId(idsOf(await fixture.start(Array.from({ length: 40 }, () => job("a")))));
        const doomed = idsOf(await fixture.start(Array.from({ length: 10 }, () => job("doomed"))));
        let turn = 0;
        const seen = await walk(fixture, walkIn(order), async () => {
          await fixture.start([job("new"), job("new")]);
          const gone = doomed[turn];
          if (gone !== undefined) {
            await fixture.store.remove({ chainIds: [gone], cascade: false }, fixture.options());
            await fixture.settled(completed((await fixture.claimOne("a")).fence));
          }
          turn += 1;
        });
        equal("each once", new Set(seen).size, seen.length);
        const there = new Set(all);
        const expected = order === "ascending" ? all : all.toReversed();
        equal(
          "those that were there all along, in order",
          seen.filter((id) => there.has(id)),
          expected,
        );
      },
    ]),
  ),
);

export const listWalkCases = rules("list", walkCases);

/** One chain of each status, with jobs of each status among them. */
async function arrange(fixture: StateFixture) {
  const ready = await fixture.startOne(job("ready"));
  const scheduled = await fixture.startOne(job("scheduled", { schedule: { afterMs: 1_000_000 } }));
  const running = await fixture.startOne(job("running"));
  await fixture.claimOne("running", { leaseMs: 1_000_000 });
  const blocked = await fixture.startOne(job("blocked", { blockers: [blockedBy(ready.id)] }));
  const done = await fixture.completedChain(job("completed"), "1");
  const broken = await fixture.startOne(job("failed"));
  await fixture.settled(failed({ chainId: broken.id, typeName: "failed" }, errorsText("the Disk is full")));
  const gone = await fixture.startOne(job("cancelled"));
  await fixture.store.cancel([{ chainId: gone.id, reason: undefined }], fixture.options());
  const all = [ready, scheduled, running, blocked, done, broken, gone];
  return { ready, scheduled, running, blocked, done, broken, gone, ids: byId(idsOf(all)) };
}

export const listCases = rules("list", {
  "returns rows in the order of their ids, ascending or descending": async (fixture) => {
    const { ids } = await arrange(fixture);
    equal("chains", idsOf(await chains(fixture)), ids);
    equal("chains, descending", idsOf(await chains(fixture, { order: "descending" })), ids.toReversed());
    equal("jobs", idsOf(await jobs(fixture)), ids);
    equal("jobs, descending", idsOf(await jobs(fixture, { order: "descending" })), ids.toReversed());
  },

  "begins after the given id, which need not exist": async (fixture) => {
    const { ids } = await arrange(fixture);
    const [first, second, third] = ids;
    const between = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    equal("after the second", idsOf(await chains(fixture, { after: second, limit: 1 })), [third]);
    equal("before the second", idsOf(await chains(fixture, { after: second, order: "descending" })), [first]);
    equal("after all", idsOf(await jobs(fixture, { after: between })), []);
    equal("before all", idsOf(await jobs(fixture, { after: between, order: "descending", limit: 1 })), [ids.at(-1)]);
    equal("from the beginning", idsOf(await jobs(fixture, { after: newId().replaceAll(/[0-9a-f]/g, "0") })), ids);
  },

  "returns the same records as a read by id": async (fixture) => {
    const { ids } = await arrange(fixture);
    equal("chains", await chains(fixture), await fixture.store.getChains(ids, fixture.options()));
    equal("jobs", await jobs(fixture), await fixture.store.getJobs(ids, fixture.options()));
  },

  "chains by status": async (fixture) => {
    const { ready, scheduled, running, blocked, done, broken, gone } = await arrange(fixture);
    const of = async (statuses: ChainQuery["statuses"]) => idsOf(await chains(fixture, { statuses }));
    equal("active", await of(["active"]), byId([ready.id, scheduled.id, running.id, blocked.id]));
    equal("completed", await of(["completed"]), [done.id]);
    equal("failed, cancelled", await of(["failed", "cancelled"]), byId([broken.id, gone.id]));
    equal("none", await of([]), []);
  },

  "jobs by status": async (fixture) => {
    const there = await arrange(fixture);
    const of = async (statuses: JobQuery["statuses"]) =>
      (await jobs(fixture, { statuses })).map(({ typeName }) => typeName);
    for (const status of ["ready", "scheduled", "running", "blocked", "completed", "failed", "cancelled"] as const) {
      equal(status, await of([status]), [status]);
    }
    sameMembers("two", await of(["ready", "cancelled"]), ["ready", "cancelled"]);
    equal("none", await of([]), []);
    equal("all", (await of(undefined)).length, there.ids.length);
  },

  "jobs whose lease ran out, and those that have fallen due, are listed as what they read as": async (fixture) => {
    const lapsed = await fixture.startOne(job("a"));
    await fixture.claimOne("a", { leaseMs: 10 });
    const due = await fixture.startOne(job("b", { schedule: { afterMs: 10 } }));
    fixture.advance(10);
    equal("ready", idsOf(await jobs(fixture, { statuses: ["ready"] })), byId([lapsed.id, due.id]));
    equal("running", await jobs(fixture, { statuses: ["running"] }), []);
    equal("scheduled", await jobs(fixture, { statuses: ["scheduled"] }), []);
  },

  "by type: a chain's is its entry type, a job's its own": async (fixture) => {
    const one = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled(continued({ chainId: one.id, typeName: "a" }, next));
    const two = await fixture.startOne(job("b"));
    equal("chains of a", idsOf(await chains(fixture, { typeNames: ["a"] })), [one.id]);
    equal("chains of b", idsOf(await chains(fixture, { typeNames: ["b"] })), [two.id]);
    equal("jobs of b", idsOf(await jobs(fixture, { typeNames: ["b"] })), byId([next.id, two.id]));
    equal("jobs of both", (await jobs(fixture, { typeNames: ["a", "b"] })).length, 3);
    equal("none", await chains(fixture, { typeNames: [] }), []);
    equal("unknown", await jobs(fixture, { typeNames: ["c"] }), []);
  },

  "by id": async (fixture) => {
    const { ready, done } = await arrange(fixture);
    const ids = [done.id, newId(), ready.id];
    equal("chains", idsOf(await chains(fixture, { ids })), byId([ready.id, done.id]));
    equal("jobs", idsOf(await jobs(fixture, { ids })), byId([ready.id, done.id]));
    equal("none", await chains(fixture, { ids: [] }), []);
  },

  "by time, from inclusive, until exclusive": async (fixture) => {
    const first = await fixture.startOne(job("a"));
    const from = fixture.now();
    fixture.advance(1);
    const second = await fixture.startOne(job("a"));
    const until = fixture.now();
    fixture.advance(1);
    await fixture.startOne(job("a"));
    for (const list of [chains, jobs]) {
      equal("one", idsOf(await list(fixture, { createdFrom: from, createdUntil: until })), [first.id]);
      equal("two", idsOf(await list(fixture, { createdUntil: until + 1 })), byId([first.id, second.id]));
      equal("from", (await list(fixture, { createdFrom: until })).length, 2);
      equal("none", await list(fixture, { createdFrom: from, createdUntil: from }), []);
    }
  },

  "chains by error text, case-sensitive": async (fixture) => {
    const texts = ["50% of _all_ disks", "50x of -all- disks", "a\\\\b's (x|y) [z]* 日本 😀", "DISK", "disk"];
    const ids: string[] = [];
    for (const text of texts) {
      const { id } = await fixture.startOne(job("a"));
      await fixture.settled(failed({ chainId: id, typeName: "a" }, errorsText(text)));
      ids.push(id);
    }
    await fixture.startOne(job("a"));
    const found = async (errorText: string) => {
      const listed = idsOf(await chains(fixture, { errorText }));
      equal("jobs as chains", idsOf(await jobs(fixture, { errorText })), listed);
      return listed;
    };
    equal("a percent sign is one", await found("50%"), [ids[0]]);
    equal("an underscore is one", await found("_all_"), [ids[0]]);
    equal("case counts", await found("DISK"), [ids[3]]);
    equal("case counts", await found("disk"), byId([ids[0] ?? "", ids[1] ?? "", ids[4] ?? ""]));
    equal("no pattern", await found(".*"), []);
    equal("signs", await found("'s (x|y) [z]* 日本 😀"), [ids[2]]);
    equal("beginnings", await found("50"), byId([ids[0] ?? "", ids[1] ?? ""]));
    equal("none", await found("network"), []);
    equal("JSON's own signs are signs like any other", await found('"message":"disk"'), [ids[4]]);
  },

  "jobs by error text while they are still retried": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    await fixture.settled(deferred((await fixture.claimOne("a")).fence, { errors: errorsText("first try") }));
    equal("the job", idsOf(await jobs(fixture, { errorText: "first try" })), [id]);
  },

  "jobs of a chain in the order of their steps, page by page": async (fixture) => {
    // Ids that fall while steps rise: the order is that of the steps.
    const ids = Array.from({ length: 12 }, (_, index) => `00000000-0000-4000-8000-0000000000${99 - index}`);
    const chain = await fixture.startOne(job("a", { id: ids[0] ?? "" }));
    for (const id of ids.slice(1)) {
      await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, job("a", { id })));
    }
    await fixture.startOne(job("a"));
    const of = async (details: Partial<JobQuery>) => idsOf(await jobs(fixture, { chainId: chain.id, ...details }));
    equal("all", await of({}), ids);
    equal("a page", await of({ limit: 5 }), ids.slice(0, 5));
    equal("the next", await of({ limit: 5, after: ids[4] }), ids.slice(5, 10));
    equal("the last", await of({ limit: 5, after: ids[9] }), ids.slice(10));
    equal("descending", await of({ order: "descending", limit: 5, after: ids[9] }), ids.slice(4, 9).toReversed());
    equal("with a filter", await of({ statuses: ["ready"] }), [ids[11]]);
    equal("of no chain", idsOf(await jobs(fixture, { chainId: newId() })), []);
  },

  "jobs that a chain blocks or blocked, each once": async (fixture) => {
    const [one, two] = await fixture.start([job("x"), job("y")]);
    const ids = [one?.id ?? "", two?.id ?? ""] as const;
    const twice = await fixture.startOne(job("a", { blockers: [blockedBy(ids[0]), blockedBy(ids[0])] }));
    const both = await fixture.startOne(job("a", { blockers: [blockedBy(ids[1]), blockedBy(ids[0])] }));
    await fixture.startOne(job("a", { blockers: [blockedBy(ids[1])] }));
    const chain = await fixture.startOne(job("b"));
    const next = job("c", { blockers: [blockedBy(ids[0])] });
    await fixture.settled(continued({ chainId: chain.id, typeName: "b" }, next));
    const expected = byId([twice.id, both.id, next.id]);
    equal("blocked", idsOf(await jobs(fixture, { blockedBy: ids[0] })), expected);
    equal("a page", idsOf(await jobs(fixture, { blockedBy: ids[0], after: expected[0], limit: 1 })), [expected[1]]);
    await fixture.settled(completed({ chainId: ids[0], typeName: "x" }));
    equal("were blocked", idsOf(await jobs(fixture, { blockedBy: ids[0] })), expected);
    equal("still are", idsOf(await jobs(fixture, { blockedBy: ids[0], statuses: ["blocked"] })), [both.id]);
    equal("none", await jobs(fixture, { blockedBy: newId() }), []);
  },

  "scheduled jobs in pages, the soonest first, and by id when they are due at the same time": async (fixture) => {
    const delays = [3_000, 1_000, 2_000, 2_000, 2_000];
    const starts = delays.map((afterMs) => job("a", { schedule: { afterMs } }));
    const [last, first, ...together] = idsOf(await fixture.start(starts));
    await fixture.start([job("a"), job("b", { schedule: { afterMs: 1_500 } })]);
    const expected = [first, ...byId(together), last];
    const seen: string[] = [];
    for (let after: DueQuery["after"]; seen.length < expected.length;) {
      const page = await fixture.store.listDue({ typeNames: ["a"], after, limit: 2 }, fixture.options());
      const end = page.at(-1);
      if (end?.scheduledAt === undefined) break;
      seen.push(...idsOf(page));
      after = { dueAt: end.scheduledAt, id: end.id };
    }
    equal("each once", seen, expected);
    const all = { typeNames: undefined, after: undefined, limit: 100 };
    equal("of all types", (await fixture.store.listDue(all, fixture.options())).length, 6);
    fixture.advance(2_000);
    equal("what is due no longer is", idsOf(await fixture.store.listDue(all, fixture.options())), [last]);
    equal("the record", await fixture.store.listDue(all, fixture.options()), [await fixture.job(last ?? "")]);
  },

  "stops at the given id in either direction, and reach returns that id": async (fixture) => {
    const ids = byId(idsOf(await fixture.start(Array.from({ length: 20 }, () => job("a")))));
    for (const order of ["ascending", "descending"] as const) {
      const inOrder = order === "ascending" ? ids : ids.toReversed();
      const reach = (limit: number, after?: string) => fixture.store.reach({ after, limit, order }, fixture.options());
      equal("the seventh", await reach(7), inOrder[6]);
      equal("the seventh after the third", await reach(7, inOrder[2]), inOrder[9]);
      equal("the last", await reach(20), inOrder[19]);
      equal("beyond", await reach(21), undefined);
      const bounds = { order, after: inOrder[2], until: inOrder[9] };
      equal("chains between", idsOf(await chains(fixture, bounds)), inOrder.slice(3, 10));
      equal("jobs between", idsOf(await jobs(fixture, bounds)), inOrder.slice(3, 10));
    }
  },

  "filters work together": async (fixture) => {
    const { broken } = await arrange(fixture);
    const second = await fixture.startOne(job("failed"));
    await fixture.settled(failed({ chainId: second.id, typeName: "failed" }, errorsText("other")));
    const found = await chains(fixture, {
      typeNames: ["failed", "completed"],
      statuses: ["failed"],
      errorText: "Disk",
      createdFrom: fixture.now(),
      createdUntil: fixture.now() + 1,
    });
    equal("one", idsOf(found), [broken.id]);
    equal("none", await chains(fixture, { statuses: ["completed"], errorText: "Disk" }), []);
  },

  "a page is full while there are more rows": async (fixture) => {
    await fixture.start(Array.from({ length: 300 }, () => job("a")));
    equal("one", (await chains(fixture, { limit: 1 })).length, 1);
    equal("250", (await jobs(fixture, { limit: 250 })).length, 250);
    const filtered = await jobs(fixture, { limit: 200, typeNames: ["a"], statuses: ["ready"] });
    holds("200", filtered.length === 200, filtered.length);
  },
});
