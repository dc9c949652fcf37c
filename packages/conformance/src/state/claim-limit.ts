import { equal } from "../check.ts";
import { deferred, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";

const priorities = [0, 3, -1, 0];

async function typesOf(fixture: StateFixture, names: readonly string[], limit: number, a: number) {
  const claimed = await fixture.claim(names, { limit, limits: { a } });
  return claimed.map(({ typeName }) => typeName).toSorted();
}

export const claimLimitCases = rules("claim", {
  "takes at most as many jobs of a type as its own limit says, beside those of the limit of the claim": async (
    fixture,
  ) => {
    await fixture.start([1, 2, 3, 4, 5].flatMap(() => [job("a"), job("b"), job("c")]));
    equal("first", await typesOf(fixture, ["b", "a", "c"], 2, 3), ["a", "a", "a", "b", "b"]);
    equal("then", await typesOf(fixture, ["a", "b", "c"], 5, 1), ["a", "b", "b", "b", "c", "c"]);
    equal("none of the type", await typesOf(fixture, ["b", "a", "c"], 1, 0), ["c"]);
    equal("the type alone", await typesOf(fixture, ["a", "b", "c"], 0, 5), ["a"]);
    equal("the rest", await typesOf(fixture, ["a", "b", "c"], 100, 100), ["c", "c"]);
  },

  "takes jobs of a type with a limit of its own by priority, then first in, first out": async (fixture) => {
    const starts = [...priorities, ...priorities].map((priority) => job("a", { priority }));
    const ids = (await fixture.start(starts)).map((chain) => chain.id);
    const first = await fixture.claim(["a"], { limit: 0, limits: { a: 5 } });
    equal(
      "the first five",
      first.map(({ id }) => id),
      [1, 5, 0, 3, 4].map((index) => ids[index]),
    );
    const rest = await fixture.claim(["a"], { limit: 0, limits: { a: 5 } });
    equal(
      "the rest",
      rest.map(({ id }) => id),
      [7, 2, 6].map((index) => ids[index]),
    );
  },

  "returns when the next job is due of a type whose own limit was not reached": async (fixture) => {
    await fixture.start([job("a"), job("b"), job("b")]);
    const { fence } = await fixture.claimOne("a");
    await fixture.settle(deferred(fence, { schedule: { afterMs: 5_000 } }));
    const look = (limits: Record<string, number>, limit: number) => fixture.look(["a", "b"], { limit, limits });
    equal("the type has room", (await look({ a: 1 }, 1)).nextDueInMs, 5_000);
    equal("it has none", (await look({ a: 0 }, 1)).nextDueInMs, undefined);
    fixture.advance(5_000);
    equal("it is due", (await look({ a: 1 }, 0)).claimed.length, 1);
  },
});

export const claimNameLimitCases = rules("claim name", {
  "counts the versions and pools of a type together for its own limit": async (fixture) => {
    const forms = [{}, { version: 2 }, { pool: "gpu" }, { version: 3, pool: "gpu" }];
    await fixture.start(forms.flatMap((form) => [job("a", form), job("a", form), job("b", form)]));
    const claim = async (limit: number) => {
      const types = ["a", "b"].flatMap((typeName) =>
        forms.map((form) => ({ typeName, leaseMs: 1_000, ...form, limit: typeName === "a" ? limit : undefined })),
      );
      const request = { outcomes: [], claim: { workerId: "w-1", types, limit: 1 } };
      const { claimed } = await fixture.store.exchange(request, fixture.options());
      return claimed.map(({ typeName }) => typeName).toSorted();
    };
    equal("three of eight", await claim(3), ["a", "a", "a", "b"]);
    equal("the other five", await claim(100), ["a", "a", "a", "a", "a", "b"]);
    equal("none", await claim(100), ["b"]);
  },
});
