import type { DueQuery, JobQuery } from "chainwright/adapter";
import { equal, holds } from "../check.ts";
import { continued, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { arrange } from "./list-arrangement.ts";
import { byId, chains, idsOf, jobs } from "./listing.ts";

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

  "returns the jobs of a chain in the order of their steps, page by page": async (fixture) => {
    // The ids descend while the steps ascend, so the order must be that of the steps.
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

  "returns scheduled jobs in pages, the soonest first, and by id when they are due at the same time": async (
    fixture,
  ) => {
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

  "a page is full while there are more rows": async (fixture) => {
    await fixture.start(Array.from({ length: 300 }, () => job("a")));
    equal("one", (await chains(fixture, { limit: 1 })).length, 1);
    equal("250", (await jobs(fixture, { limit: 250 })).length, 250);
    const filtered = await jobs(fixture, { limit: 200, typeNames: ["a"], statuses: ["ready"] });
    holds("200", filtered.length === 200, filtered.length);
  },
});
