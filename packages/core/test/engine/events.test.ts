import { expect, it } from "vitest";
import { createEventLog } from "../../src/engine/events.ts";
import type { ChainwrightEvent } from "../../src/model/event.ts";

const started = (jobId: string): ChainwrightEvent => ({ type: "chain-started", jobId, chainId: jobId, typeName: "a" });
const many = (count: number) => Array.from({ length: count }, (_, index) => started(String(index)));

it("keeps the last events of a transaction that the application opened, up to a limit", () => {
  const log = createEventLog([]);
  const tx = {};
  for (let each = 0; each < 100; each += 1) log.record(many(1_000), tx);
  const kept = log.take(tx);
  expect(kept.length).toBeLessThanOrEqual(10_000);
  expect(kept.at(-1)).toEqual(started("999"));
});

it("keeps every event of a transaction of the engine, and begins the next transaction without events", () => {
  const log = createEventLog([]);
  const tx = {};
  log.begin(tx);
  log.record(many(50_000), tx);
  expect(log.take(tx)).toHaveLength(50_000);
  log.begin(tx);
  log.record(many(1), tx);
  log.begin(tx);
  expect(log.take(tx)).toEqual([]);
});

it("drops the remaining events of an earlier transaction on the same handle", () => {
  let transaction = 1;
  const log = createEventLog([], () => transaction);
  const tx = {};
  log.record([started("rolled back")], tx);
  transaction = 2;
  log.record([started("committed")], tx);
  expect(log.take(tx)).toEqual([started("committed")]);
  log.record([started("rolled back")], tx);
  transaction = 3;
  expect(log.take(tx)).toEqual([]);
});
