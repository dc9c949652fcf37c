import type { ExchangeReply, JobLimit, JobStart, LimitChange, LimitRecord, LimitRule } from "chainwright/adapter";
import { only } from "../check.ts";
import { completed, deferred, failed, job } from "./build.ts";
import { accepted, type ClaimDetails, type Held, type StateFixture } from "./fixture.ts";

type Keys = Readonly<Record<string, string>>;
type Terms = Pick<JobLimit, "weight" | "holds">;

/** A job under these limits, with the same terms for each. */
export function under(keys: Keys, typeName = "a", details: Partial<JobStart> & Terms = {}): JobStart {
  const { weight, holds, ...rest } = details;
  const names = Object.keys(keys).toSorted();
  const limits = names.map((limit) => ({ limit, key: keys[limit] ?? "", weight, holds }));
  return job(typeName, { ...rest, limits });
}

/** Several jobs alike. */
export function times(count: number, make: () => JobStart): readonly JobStart[] {
  return Array.from({ length: count }, make);
}

/** A limit of places. */
export function places(concurrency: number): LimitRule {
  return { concurrency, rate: undefined };
}

/** A limit of beginnings. */
export function rate(count: number, perMs: number, spread = false): LimitRule {
  return { concurrency: undefined, rate: { count, perMs, spread } };
}

/** Neither: keys take turns. */
export const fair: LimitRule = { concurrency: undefined, rate: undefined };

export function change(
  fixture: StateFixture,
  changes: readonly LimitChange[],
  tx?: unknown,
): Promise<readonly boolean[]> {
  return fixture.store.changeLimits(changes, fixture.options(tx));
}

/** Declares limits as a worker does. */
export async function declare(fixture: StateFixture, limits: Readonly<Record<string, LimitRule>>): Promise<void> {
  const changes = Object.entries(limits).map(([limit, rule]): LimitChange => {
    return { kind: "declare", limit, rule, codeVersion: undefined };
  });
  await change(fixture, changes);
}

/** Claims jobs of these types, those under limits too. */
export function take(
  fixture: StateFixture,
  typeNames: readonly string[] = ["a"],
  details: ClaimDetails = {},
): Promise<readonly Held[]> {
  return fixture.claim(typeNames, { limited: true, ...details });
}

export async function takeOne(fixture: StateFixture, typeName = "a", details: ClaimDetails = {}): Promise<Held> {
  return only(`one job of ${typeName} is claimed`, await take(fixture, [typeName], { ...details, limit: 1 }));
}

/** The whole reply of such a claim. */
export function lookAtLanes(
  fixture: StateFixture,
  typeNames: readonly string[] = ["a"],
  details: ClaimDetails = {},
): Promise<ExchangeReply> {
  return fixture.look(typeNames, { limited: true, ...details });
}

export async function complete(fixture: StateFixture, { fence }: Held): Promise<void> {
  await fixture.settled(completed(fence));
}

/** The key of its only limit. */
export function keyOf({ limits }: Pick<Held, "limits">): string {
  return limits?.[0]?.key ?? "none";
}

export function keysOf(jobs: readonly Held[]): readonly string[] {
  return jobs.map(keyOf);
}

export async function limitOf(fixture: StateFixture, limit: string, key: string): Promise<LimitRecord> {
  return only("one record", await fixture.store.listLimits({ keys: [{ limit, key }], limit: 10 }, fixture.options()));
}

/** How many of each there are. */
export function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const name of names) counted[name] = (counted[name] ?? 0) + 1;
  return counted;
}

type End = (fixture: StateFixture, held: Held) => Promise<unknown>;

/** The ways in which a job that is leased ends, or waits again. */
export const waysToEnd = {
  completed: (fixture, { fence }) => fixture.settled(completed(fence)),
  failed: (fixture, { fence }) => fixture.settled(failed(fence)),
  "put off": (fixture, { fence }) =>
    fixture.settled(deferred(fence, { schedule: { afterMs: 500_000 }, counted: false })),
  cancelled: async (fixture, { chainId }) => {
    accepted("cancelled", await fixture.store.cancel([{ chainId, reason: undefined }], fixture.options()));
  },
  "completed from outside": (fixture, { chainId }) => fixture.settled(completed({ chainId, typeName: "a" })),
  deleted: async (fixture, { chainId }) => {
    accepted("deleted", await fixture.store.remove({ chainIds: [chainId], cascade: false }, fixture.options()));
  },
} satisfies Readonly<Record<string, End>>;
