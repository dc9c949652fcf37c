import { equal } from "../check.ts";
import { completed, deferred, job } from "./build.ts";
import { rules } from "./group.ts";
import type { Held, StateFixture } from "./fixture.ts";

const types = Array.from({ length: 12 }, (_, index) => `t${index}`);
/** The types that claims name; the other two are never claimed. */
const handled = types.slice(0, 10);
const highest = 32_767;
const priorities = [-highest - 1, -1_000, -7, -2, -1, 0, 1, 2, 3, 500, highest];

interface Waiting {
  readonly id: string;
  readonly typeName: string;
  readonly priority: number;
}

/** Pseudo-random numbers that are the same in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

async function fill(
  fixture: StateFixture,
  count: number,
  draw: (below: number) => number,
): Promise<readonly Waiting[]> {
  const starts = Array.from({ length: count }, () =>
    job(types[draw(types.length)] ?? "", { priority: priorities[draw(priorities.length)] ?? 0 }),
  );
  await fixture.start(starts);
  return starts;
}

/** What a claim should take: by priority, then in the order of the types, then first in, first out. */
function expected(waiting: readonly Waiting[], asked: readonly string[]): readonly string[] {
  const place = new Map(asked.map((typeName, index) => [typeName, index]));
  return waiting
    .filter(({ typeName }) => place.has(typeName))
    .map((one, index) => ({ ...one, index, place: place.get(one.typeName) ?? 0 }))
    .toSorted((left, right) => right.priority - left.priority || left.place - right.place || left.index - right.index)
    .map(({ id }) => id);
}

export const claimOrderCases = rules("claim in order", {
  "takes many types and priorities in order, also when the order of the types changes": async (fixture) => {
    const draw = draws(7);
    const waiting = [...(await fill(fixture, 300, draw))];
    for (let turn = 0; waiting.some(({ typeName }) => handled.includes(typeName)); turn += 1) {
      const asked = [...handled.slice(turn % 10), ...handled.slice(0, turn % 10)];
      const limit = 1 + draw(40);
      const claimed = await fixture.claim(asked, { limit });
      equal(
        `claim ${turn}`,
        claimed.map(({ id }) => id),
        expected(waiting, asked).slice(0, limit),
      );
      const taken = new Set(claimed.map(({ id }) => id));
      waiting.splice(0, waiting.length, ...waiting.filter(({ id }) => !taken.has(id)));
      // New jobs start between the claims, some of them ahead of jobs that were skipped before.
      if (turn % 3 === 0 && turn < 9) waiting.push(...(await fill(fixture, 20, draw)));
    }
  },

  "skips jobs that others have locked, at every priority": async (fixture) => {
    const draw = draws(11);
    const waiting = await fill(fixture, 300, draw);
    const held = await fixture.claim(handled, { limit: 120, workerId: "w-2", leaseMs: 50_000 });
    const taken = new Set(held.map(({ id }) => id));
    const rest = waiting.filter(({ id }) => !taken.has(id));
    equal(
      "the others",
      (await fixture.claim(handled, { limit: 300 })).map(({ id }) => id),
      expected(rest, handled),
    );
    equal("nothing is left", await fixture.claim(handled), []);
    equal("the first lease ends", (await fixture.look(handled)).nextDueInMs, 30_000);
    fixture.advance(30_000);
    equal("those leases ran out", (await fixture.claim(handled, { limit: 300 })).length, rest.filter(isHandled).length);
    equal("the first lease ends", (await fixture.look(handled)).nextDueInMs, 20_000);
  },

  "reports when the next lease ends, at any priority": async (fixture) => {
    const others = priorities.filter((priority) => priority !== 0);
    await fixture.start(others.flatMap((priority) => handled.map((typeName) => job(typeName, { priority }))));
    for (const [index, priority] of others.toReversed().entries()) {
      const held = await fixture.claim(handled, { limit: handled.length, leaseMs: 50_000 - index });
      equal(`all of priority ${priority}`, held.length, handled.length);
    }
    equal("the first lease", (await fixture.look(handled)).nextDueInMs, 50_000 - others.length + 1);
  },

  "takes a job that returns to an empty priority": async (fixture) => {
    await fixture.start(priorities.flatMap((priority) => [job("t0", { priority }), job("t1", { priority })]));
    const held = await fixture.claim(handled, { limit: 100 });
    equal("all", held.length, 2 * priorities.length);
    const back = held.filter((_, index) => index % 3 === 0);
    for (const { fence } of back) await fixture.settled(deferred(fence));
    const end = held.filter((_, index) => index % 3 !== 0);
    await fixture.store.settle(
      end.map(({ fence }) => completed(fence)),
      fixture.options(),
    );
    equal("those that came back", (await fixture.claim(handled, { limit: 100 })).map(idOf), back.map(idOf));
  },

  "takes one job of each priority where there are more priorities than it takes": async (fixture) => {
    const starts = Array.from({ length: 60 }, (_, index) => job(`t${index % 5}`, { priority: 30 - index }));
    await fixture.start(starts);
    const claimed: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      claimed.push(...(await fixture.claim(handled, { limit: 10 })).map(({ id }) => id));
    }
    equal(
      "from the highest down",
      claimed,
      starts.map(({ id }) => id),
    );
  },
});

function isHandled({ typeName }: Waiting): boolean {
  return handled.includes(typeName);
}

function idOf({ id }: Held): string {
  return id;
}
