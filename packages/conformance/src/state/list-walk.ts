import type { ChainQuery } from "chainwright/adapter";
import { equal } from "../check.ts";
import { completed, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { byId, chains, idsOf, jobs } from "./listing.ts";

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
      `pages of ${what}, ${order}, neither skip nor repeat a row, whatever is written or deleted between them`,
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
