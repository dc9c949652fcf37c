import type { BreakerRule, LimitChange } from "chainwright/adapter";
import { equal } from "../check.ts";
import { failed } from "./build.ts";
import type { Held, StateFixture } from "./fixture.ts";
import { change, declare, limitOf, places, take, times, under } from "./limiting.ts";

export const main = { smtp: "main" };
export const breaker: BreakerRule = { failures: 3, withinMs: 10_000, openMs: 60_000 };
/** A claim looks again after this time at a key for which it knows no moment. */
export const lookMs = 1_000;

export const hasFailed = ({ id, fence }: Held, numbers: BreakerRule = breaker): LimitChange => {
  return { kind: "failed", limit: "smtp", key: "main", jobId: id, fence: fence.fence, breaker: numbers };
};
export const hasSucceeded = ({ id }: Held): LimitChange => ({
  kind: "succeeded",
  limit: "smtp",
  key: "main",
  jobId: id,
});
export const pause = (forMs?: number): LimitChange => ({ kind: "pause", limit: "smtp", key: "main", forMs });
export const resume = (key?: string): LimitChange => ({ kind: "resume", limit: "smtp", key });

/** Fails attempts one after the other. Returns whether each has opened the breaker. */
export async function failAll(fixture: StateFixture, held: readonly Held[]): Promise<readonly boolean[]> {
  const opened: boolean[] = [];
  for (const each of held) {
    opened.push(...(await change(fixture, [hasFailed(each)])));
    await fixture.settled(failed(each.fence));
  }
  return opened;
}

/** Opens the breaker of a key for which `waiting` jobs wait, and lets its time pass. */
export async function halfOpen(
  fixture: StateFixture,
  { waiting = 5, rule = places(50), typeNames = ["a"] } = {},
): Promise<void> {
  await declare(fixture, { smtp: rule });
  await fixture.start(times(3, () => under(main)));
  equal("it opens", await failAll(fixture, await take(fixture)), [false, false, true]);
  await fixture.start(typeNames.flatMap((typeName) => times(waiting, () => under(main, typeName))));
  equal("open", await take(fixture), []);
  fixture.advance(breaker.openMs);
}

export async function failuresOf(fixture: StateFixture): Promise<number | undefined> {
  return (await limitOf(fixture, "smtp", "main")).breaker?.failures;
}

export async function probeOf(fixture: StateFixture, typeNames?: readonly string[]): Promise<Held> {
  const held = await take(fixture, typeNames);
  equal("one job begins", held.length, 1);
  const [probe] = held;
  if (probe === undefined) throw new Error("there is no probe");
  return probe;
}
