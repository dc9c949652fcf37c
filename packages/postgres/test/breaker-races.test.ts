import { findBackend } from "@chainwright/backends/vitest";
import type { ClaimedJob, LimitChange, Outcome } from "chainwright/adapter";
import { describe, expect, it } from "vitest";
import { completed, job, workerId } from "./jobs.ts";
import { claimLimited, declare, limits, openLimitStore, places } from "./limit-stores.ts";

const url = await findBackend("postgres");
const types = ["a", "b", "c", "d", "e", "f"];
const main = limits(["smtp", "main"]);
const breaker = { failures: 1, withinMs: 60_000, openMs: 1_000 };
const rounds = 80;

const hasFailed = ({ id, fence }: ClaimedJob): LimitChange => {
  return { kind: "failed", limit: "smtp", key: "main", jobId: id, fence, breaker };
};
const hasSucceeded = ({ id }: ClaimedJob): LimitChange => {
  return { kind: "succeeded", limit: "smtp", key: "main", jobId: id };
};
const putOff = ({ id, fence }: ClaimedJob): Outcome => {
  const target = { jobId: id, workerId, fence };
  return { kind: "deferred", target, schedule: undefined, counted: false, errors: undefined };
};

describe.skipIf(url === undefined)("claims of a half-open key at the same time", { timeout: 60_000 }, () => {
  const stored = openLimitStore(url, "breaker races");

  it(`of ${types.length} claims of other types at once one at most gets the probe, however the one before ended`, async () => {
    const store = stored.store();
    await declare(store, { smtp: places(50) });
    let now = Date.now();
    const starts = types.flatMap((type) => Array.from({ length: rounds }, () => job(type, { limits: main })));
    await store.start([{ starts }], { now });
    const [first] = await claimLimited(store, 1, { now, types });
    if (first === undefined) throw new Error("no job was claimed");
    expect(await store.changeLimits([hasFailed(first)], { now })).toEqual([true]);
    await store.exchange({ outcomes: [completed(first)], claim: undefined }, { now });
    let begun = 0;
    for (let round = 0; round < rounds; round += 1) {
      now += 1_000;
      const claims = types.map((type) => claimLimited(store, 5, { now, types: [type] }));
      const [probe, ...others] = (await Promise.all(claims)).flat();
      expect(others).toEqual([]);
      if (probe === undefined) continue;
      begun += 1;
      expect(probe.limits).toEqual([{ ...main[0], isProbe: true }]);
      // While the probe fails, is put off or ends, others claim.
      const end = round % 3 === 0 ? putOff(probe) : completed(probe);
      const settle = store.exchange({ outcomes: [end], claim: undefined }, { now });
      const more = types.map((type) => claimLimited(store, 5, { now: now + 1_000, types: [type] }));
      const next = (await Promise.all([settle, ...more])).slice(1).flat() as ClaimedJob[];
      expect(next.length).toBeLessThanOrEqual(1);
      for (const each of next) await store.exchange({ outcomes: [completed(each)], claim: undefined }, { now });
      if (round % 4 === 0 && next.length === 0) await store.changeLimits([hasFailed(probe)], { now });
      now += 1_000;
    }
    expect(begun).toBeGreaterThan(rounds / 2);
    now += 2_000;
    const [last] = await claimLimited(store, 5, { now, types });
    if (last === undefined) throw new Error("there is no probe");
    const closed = await Promise.all([1, 2, 3].map(() => store.changeLimits([hasSucceeded(last)], { now })));
    expect(closed.flat().filter(Boolean)).toHaveLength(1);
    expect((await claimLimited(store, 20, { now, types })).length).toBe(20);
  });

  it("of failures that are reported at once exactly one opens the key, and none is lost", async () => {
    const store = stored.store();
    const now = Date.now();
    await declare(store, { smtp: places(50) });
    for (let round = 1; round <= 20; round += 1) {
      await store.start([{ starts: types.map((type) => job(type, { limits: main })) }], { now });
      const held = await claimLimited(store, 50, { now, types });
      expect(held).toHaveLength(types.length);
      const numbers = { ...breaker, failures: types.length };
      const reports = held.flatMap((each) => [hasFailed(each), hasFailed(each)]);
      const replies = await Promise.all(
        reports.map((each) => store.changeLimits([{ ...each, breaker: numbers } as LimitChange], { now })),
      );
      expect(replies.flat().filter(Boolean)).toHaveLength(1);
      await store.exchange({ outcomes: held.map((each) => completed(each)), claim: undefined }, { now });
      await store.changeLimits([{ kind: "resume", limit: "smtp", key: undefined }], { now });
    }
  });
});
