import { expect, it } from "vitest";
import { databasePath, jobStart, listening, migratedStore } from "./store.ts";

const types = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}-${index}`);
const priorities = (count: number) => Array.from({ length: count }, (_, index) => index - count / 2);

interface Waiting {
  readonly typeNames: readonly string[];
  readonly priorities: readonly number[];
}

/** What one claim of up to ten runs that asks for these types: its statements, and how SQLite goes about them. */
async function claimOf(waiting: Waiting, asked: readonly string[]) {
  const statements: string[] = [];
  const plans: string[] = [];
  const path = databasePath();
  let isExplaining = false;
  const driver = listening(path, (sql, handle) => {
    statements.push(sql);
    if (!isExplaining || !/^\s*(select|update)/.test(sql)) return;
    const parameters = Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => "[]");
    const plan = handle.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters);
    plans.push(...plan.map(({ detail }) => detail));
  });
  const store = await migratedStore({ path, driver });
  const starts = waiting.priorities.flatMap((priority) =>
    waiting.typeNames.map((typeName) => jobStart({ typeName, priority })),
  );
  await store.start([{ starts }], {});
  const claim = { workerId: "w", types: asked.map((typeName) => ({ typeName, leaseMs: 1_000 })), limit: 10 };
  statements.length = 0;
  isExplaining = true;
  const { claimed } = await store.exchange({ outcomes: [], claim }, {});
  return { statements: statements.length, claimed: claimed.length, plans };
}

it("a claim that finds nothing runs as many statements for 100 types and 1,000 priorities of others as for one", async () => {
  const one = await claimOf({ typeNames: ["other"], priorities: [0] }, ["own"]);
  const asked = types(100, "own");
  const many = await claimOf({ typeNames: ["other"], priorities: priorities(1_000) }, asked);
  const manyTypes = await claimOf({ typeNames: types(20, "other"), priorities: priorities(1_000) }, asked);
  expect([one.claimed, many.claimed, manyTypes.claimed]).toEqual([0, 0, 0]);
  expect([many.statements, manyTypes.statements]).toEqual([one.statements, one.statements]);
});

it("a claim that takes ten of 100 types at 100 priorities picks them in one statement, and leases them in another", async () => {
  const one = await claimOf({ typeNames: ["own-0"], priorities: Array<number>(20).fill(0) }, ["own-0"]);
  const many = await claimOf({ typeNames: types(100, "own"), priorities: priorities(100) }, types(100, "own"));
  expect([one.claimed, many.claimed]).toEqual([10, 10]);
  // What each of the ten jobs needs is read one by one in both.
  expect(many.statements).toBe(one.statements + 1);
});

it.each([2, 9])("a claim of %i types uses the index of claims", async (count) => {
  const asked = types(count, "own");
  const { plans, claimed } = await claimOf({ typeNames: asked, priorities: [0, 1] }, asked);
  expect(claimed).toBe(Math.min(10, 2 * count));
  expect(plans.filter((detail) => detail.includes("chainwright_open_job_claim (type_name=")).length).toBeGreaterThan(2);
  expect(plans.filter((detail) => /^SCAN (o|chainwright_open_job)\b/.test(detail))).toEqual([]);
});
