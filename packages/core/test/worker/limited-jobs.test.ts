import type { ClaimedJob, Hint } from "chainwright/adapter";
import { createVirtualClock } from "chainwright/testing";
import { expect, it } from "vitest";
import { createLimitRegistry } from "../../src/checks/limit-registry.ts";
import { createLimitedJobs } from "../../src/worker/limited-jobs.ts";

const leaseMs = 1_000;
const shop = {
  name: "shop",
  keys: { pack: () => "a", send: () => "a" },
  rule: { concurrency: 1, rate: undefined },
  weight: undefined,
  holds: false,
};
const job = (typeName: string, ...limits: readonly string[]): ClaimedJob => ({
  id: "1",
  chainId: "1",
  typeName,
  step: 1,
  version: 1,
  pool: undefined,
  input: "null",
  attempt: 1,
  fence: 1,
  errors: undefined,
  priority: 0,
  createdAt: 0,
  waitedMs: 0,
  context: undefined,
  blockers: [],
  limits: limits.length === 0 ? undefined : limits.map((limit) => ({ limit, key: "a" })),
});

function setUp(typeNames: readonly string[], limits: readonly (typeof shop)[]) {
  const sent: (readonly [string, number])[] = [];
  const looks: string[] = [];
  const limited = createLimitedJobs({
    clock: createVirtualClock(),
    limits: createLimitRegistry([{ limits }], () => true),
    types: typeNames.map((typeName) => ({ typeName, leaseMs })),
    send: (hints: readonly Hint[]) => {
      for (const hint of hints) if (hint.kind === "freed") sent.push([hint.limit, hint.count]);
    },
    onLook: () => looks.push("look"),
  });
  return { limited, sent, looks };
}

it("claims of a worker whose client limits one of its types always look for limited jobs", () => {
  expect(setUp(["pack"], [shop]).limited.isLooking).toBe(true);
  expect(setUp(["sweep"], [shop]).limited.isLooking).toBe(false);
  expect(setUp(["pack"], []).limited.isLooking).toBe(false);
});

it("claims of another worker look after it has met a limited job, until the store says that none waits", () => {
  const { limited, looks } = setUp(["pack"], []);
  limited.noteClaimed([job("pack")]);
  expect(limited.isLooking).toBe(false);
  limited.noteClaimed([job("pack", "shop")]);
  expect(limited.isLooking).toBe(true);
  limited.ask()(false);
  expect(limited.isLooking).toBe(false);
  const early = limited.ask();
  limited.noteClaimed([job("pack", "shop")]);
  early(false);
  expect(limited.isLooking).toBe(true);
  limited.ask()(false);
  limited.ask()(true);
  expect(limited.isLooking).toBe(true);
  expect(looks).toHaveLength(3);
});

it("places that were not taken again are announced, and those that the same exchange took are not", () => {
  const { limited, sent } = setUp(["pack"], [shop]);
  const ended = (count: number) => {
    for (let n = 0; n < count; n += 1) limited.noteEnded(job("pack", "shop", "door"), false);
  };
  ended(3);
  limited.tell({ claim: { limit: 2 }, claimed: [job("pack", "shop"), job("pack")] });
  expect(sent.splice(0)).toEqual([
    ["shop", 2],
    ["door", 3],
  ]);
  ended(1);
  limited.tell({ claim: { limit: 2 }, claimed: [job("pack", "shop"), job("pack", "door")] });
  limited.tell(undefined);
  expect(sent).toEqual([]);
  ended(1);
  limited.tell(undefined);
  expect(sent).toEqual([
    ["shop", 1],
    ["door", 1],
  ]);
});

it("a worker that found nothing announces nothing if it claims all types under the limit", () => {
  const all = setUp(["pack", "send"], [shop]);
  const some = setUp(["pack"], [shop]);
  for (const { limited } of [all, some]) {
    limited.noteEnded(job("pack", "shop"), false);
    limited.tell({ claim: { limit: 2 }, claimed: [] });
  }
  expect(all.sent).toEqual([]);
  expect(some.sent).toEqual([["shop", 1]]);
});

it("a worker that had no slot for another limited job does not know that none waits", () => {
  const sent = (limit: number, startable: number | undefined, claimed: readonly ClaimedJob[]) => {
    const { limited, sent: hints } = setUp(["pack", "send"], [shop]);
    for (let n = 0; n < 2; n += 1) limited.noteEnded(job("pack", "shop"), false);
    limited.tell({ claim: { limit, startable }, claimed });
    return hints;
  };
  const one = [job("pack", "shop")];
  expect(sent(5, 1, one)).toEqual([["shop", 1]]);
  expect(sent(5, 0, [])).toEqual([["shop", 2]]);
  expect(sent(5, 2, one)).toEqual([]);
  expect(sent(5, undefined, one)).toEqual([]);
});

it("a job that keeps its place for a retry frees none", () => {
  const { limited, sent } = setUp(["pack"], [{ ...shop, holds: true }]);
  expect(limited.noteEnded(job("pack", "shop"), true)).toBe(false);
  // It keeps those of its other limits as well.
  expect(limited.noteEnded(job("pack", "door", "shop"), true)).toBe(false);
  limited.tell(undefined);
  expect(sent).toEqual([]);
  limited.noteEnded(job("pack", "shop"), false);
  limited.tell(undefined);
  expect(sent).toEqual([["shop", 1]]);
});

it("the names under a limit are those of the client's types, and those of jobs that the worker has met", () => {
  const { limited } = setUp(["pack", "sweep"], [shop]);
  expect(limited.namesUnder("shop")).toEqual(["pack"]);
  expect(limited.namesUnder("door")).toEqual([]);
  limited.noteClaimed([job("sweep", "door"), job("pack", "shop")]);
  expect(limited.namesUnder("door")).toEqual(["sweep"]);
  expect(limited.namesUnder("shop")).toEqual(["pack"]);
});
