import { createClient, createInProcessStateAdapter, defineJobTypes, type ChainwrightEvent } from "chainwright";
import type { LimitChange, LimitDeclaration, LimitQuery, LimitRecord } from "chainwright/adapter";
import { createVirtualClock } from "chainwright/testing";
import { expect, it } from "vitest";

const jobTypes = defineJobTypes<{ work: { entry: true; input: string; output: null } }>();
const rule = { concurrency: 5, rate: undefined };
const ofKey = (key: string, more: Partial<LimitRecord> = {}): LimitRecord => ({
  limit: "tenant",
  key,
  running: 1,
  waiting: 2,
  rule,
  declared: rule,
  isOverridden: false,
  pausedUntil: undefined,
  breaker: undefined,
  opensInMs: undefined,
  ...more,
});

/** A client of a store that knows the limit `tenant`. */
function setUp(records: readonly LimitRecord[] = [], declared: readonly Partial<LimitDeclaration>[] = []) {
  const changes: LimitChange[] = [];
  const queries: LimitQuery[] = [];
  const events: ChainwrightEvent[] = [];
  const declaration = { limit: "tenant", declared: rule, codeVersion: 3, override: undefined, pausedUntil: undefined };
  const stateAdapter = {
    ...createInProcessStateAdapter(),
    changeLimits: async (made: readonly LimitChange[]) => {
      changes.push(...made);
      return made.map(({ limit }) => limit === "tenant");
    },
    listLimits: async (query: LimitQuery) => {
      queries.push(query);
      return records;
    },
    listLimitDeclarations: async () => [declaration, ...declared.map((each) => ({ ...declaration, ...each }))],
  };
  const clock = createVirtualClock();
  const client = createClient({ stateAdapter, jobTypes, clock, observers: [(event) => void events.push(event)] });
  return { client, changes, queries, events, clock };
}

it("a change, a reset, a pause and a resumption are written, and raise an event each", async () => {
  const { client, changes, events } = setUp();
  await client.changeLimit({ limit: "tenant", key: "acme", concurrency: 20 });
  await client.changeLimit({ limit: "tenant", rate: { count: 5, perMs: 1_000 } });
  await client.resetLimit({ limit: "tenant", key: "acme" });
  await client.pauseLimit({ limit: "tenant", key: "acme", forMs: 1 });
  await client.pauseLimit({ limit: "tenant" });
  await client.resumeLimit({ limit: "tenant" });
  const acme = { limit: "tenant", key: "acme" };
  const all = { limit: "tenant", key: undefined };
  const twenty = { concurrency: 20, rate: undefined };
  const slow = { concurrency: undefined, rate: { count: 5, perMs: 1_000, spread: false } };
  expect(changes).toEqual([
    { kind: "override", ...acme, rule: twenty },
    { kind: "override", ...all, rule: slow },
    { kind: "reset", ...acme },
    { kind: "pause", ...acme, forMs: 1 },
    { kind: "pause", ...all, forMs: undefined },
    { kind: "resume", ...all },
  ]);
  expect(events).toEqual([
    { type: "limit-changed", ...acme, ...twenty },
    { type: "limit-changed", ...all, ...slow },
    { type: "limit-reset", ...acme },
    { type: "limit-paused", ...acme, forMs: 1 },
    { type: "limit-paused", ...all, forMs: undefined },
    { type: "limit-resumed", ...all },
  ]);
});

it("an event of a change in a transaction is raised after its commit, and not after a rollback", async () => {
  const { client, events } = setUp();
  await client.transaction(async (tx) => {
    await client.pauseLimit({ limit: "tenant", tx });
    expect(events).toEqual([]);
  });
  expect(events.map(({ type }) => type)).toEqual(["limit-paused"]);
  const failed = client.transaction(async (tx) => {
    await client.resumeLimit({ limit: "tenant", tx });
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(events).toHaveLength(1);
});

it("calls about a limit that nothing has declared are refused, and a change of it is not written", async () => {
  const { client, changes, events } = setUp();
  const missing = { limit: "tenat" };
  const refused = [
    client.changeLimit({ ...missing, concurrency: 1 }),
    client.resetLimit(missing),
    client.pauseLimit(missing),
    client.resumeLimit(missing),
  ];
  for (const call of refused)
    await expect(call).rejects.toThrow(
      expect.objectContaining({
        code: "limit-not-found",
        message: expect.stringContaining('the limit "tenat" is not declared in this store: check its name'),
        details: missing,
      }),
    );
  expect(changes.map(({ kind }) => kind).toSorted()).toEqual(["pause", "reset", "resume"]);
  expect(events).toEqual([]);
});

it("a page of keys asks for one more than it holds, and the cursor names its last key", async () => {
  const { client, queries } = setUp([ofKey("acme"), ofKey('zo"o\n'), ofKey("zz")]);
  const page = await client.listLimits({ limit: "tenant", busy: true, pageSize: 2 });
  expect(page.items.map(({ key }) => key)).toEqual(["acme", 'zo"o\n']);
  await client.listLimits({ pageSize: 3, cursor: page.nextCursor });
  await client.listLimits({ limit: "tenant", key: "acme" });
  const nothing = { keys: undefined, limitName: undefined, isBusy: undefined, after: undefined };
  expect(queries).toEqual([
    { ...nothing, limitName: "tenant", isBusy: true, limit: 3 },
    { ...nothing, after: { limit: "tenant", key: 'zo"o\n' }, limit: 4 },
    { ...nothing, keys: [{ limit: "tenant", key: "acme" }], limitName: "tenant", limit: 51 },
  ]);
});

it("a key shows what counts for it, and when it opens", async () => {
  const rate = { count: 5, perMs: 1_000, spread: false };
  const changed = { rule: { concurrency: 20, rate }, isOverridden: true };
  const { client, clock } = setUp([
    ofKey("acme", { ...changed, pausedUntil: 1_000, opensInMs: 500 }),
    ofKey("zoo", { pausedUntil: Infinity, opensInMs: Infinity }),
    ofKey("new", { rule: undefined, declared: undefined }),
  ]);
  const common = { limit: "tenant", running: 1, waiting: 2, declared: rule, isOverridden: false, ...rule };
  const paused = { isPaused: true, pausedUntil: undefined, opensAt: undefined };
  expect((await client.listLimits()).items).toEqual([
    {
      ...common,
      key: "acme",
      concurrency: 20,
      rate,
      isOverridden: true,
      isPaused: true,
      pausedUntil: new Date(1_000),
      opensAt: new Date(clock.now() + 500),
    },
    { ...common, ...paused, key: "zoo" },
    { ...common, ...paused, key: "new", isPaused: false, declared: undefined, concurrency: undefined },
  ]);
});

it("a declared limit shows what counts for all its keys", async () => {
  const override = { concurrency: 9, rate: undefined };
  const { client } = setUp([], [{ limit: "zoo", override, pausedUntil: Infinity, codeVersion: undefined }]);
  const notPaused = { isPaused: false, pausedUntil: undefined };
  expect(await client.listDeclaredLimits()).toEqual([
    { limit: "tenant", ...rule, declared: rule, codeVersion: 3, override: undefined, ...notPaused },
    { limit: "zoo", ...override, declared: rule, codeVersion: undefined, override, ...notPaused, isPaused: true },
  ]);
});
