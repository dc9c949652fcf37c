import type { JobStatus } from "chainwright";
import type { ChainQuery, ChainRecord, JobCount, JobQuery, JobRecord, QueuedCount } from "chainwright/adapter";
import { equal } from "../check.ts";
import type { StateFixture } from "./fixture.ts";

const everyRow = {
  after: undefined,
  limit: 1_000,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
} as const;

export function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

export function byId(ids: readonly string[]): readonly string[] {
  return ids.toSorted((left, right) => (left < right ? -1 : Number(left > right)));
}

export function chainQuery(details: Partial<ChainQuery> = {}): ChainQuery {
  return { ...everyRow, ...details };
}

export function jobQuery(details: Partial<JobQuery> = {}): JobQuery {
  return { ...everyRow, chainId: undefined, blockedBy: undefined, ...details };
}

export function chains(fixture: StateFixture, details: Partial<ChainQuery> = {}): Promise<readonly ChainRecord[]> {
  return fixture.store.listChains(chainQuery(details), fixture.options());
}

export function jobs(fixture: StateFixture, details: Partial<JobQuery> = {}): Promise<readonly JobRecord[]> {
  return fixture.store.listJobs(jobQuery(details), fixture.options());
}

/** How many jobs the store counts, as `{ "type status": count }`; a count of 0 and no count are the same. */
export async function counts(fixture: StateFixture, tx?: unknown): Promise<Readonly<Record<string, number>>> {
  const found = await fixture.store.count(fixture.options(tx));
  const positive: Record<string, number> = {};
  for (const { typeName, status, count } of found) if (count > 0) positive[`${typeName} ${status}`] = count;
  return positive;
}

/** All that the store returns about its chains and jobs. */
export async function everything(fixture: StateFixture): Promise<unknown> {
  return { chains: await chains(fixture), jobs: await jobs(fixture), counts: await counts(fixture) };
}

/** The statuses of these chains, in order; `undefined` for a missing one. */
export async function statuses(
  fixture: StateFixture,
  ids: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const found = await fixture.store.getChains(ids, fixture.options());
  return found.map((chain) => chain?.status);
}

const isQueued = (status: string): boolean => ["ready", "scheduled", "running"].includes(status);

const queuedKey = ({
  typeName,
  version,
  pool,
  status,
}: Pick<QueuedCount, "typeName" | "version" | "pool"> & { readonly status: string }) =>
  `${typeName} ${version} ${pool ?? "-"} ${status}`;

/** How many jobs the store counts by version and pool, as `{ "type version pool status": count }`; `-`: no pool. */
export async function queued(fixture: StateFixture): Promise<Readonly<Record<string, number>>> {
  const found = await fixture.store.countQueued(fixture.options());
  return Object.fromEntries(found.map((row) => [queuedKey(row), row.count]));
}

async function queuedRows(fixture: StateFixture): Promise<Readonly<Record<string, number>>> {
  const rows = (await jobs(fixture)).filter(({ status }) => isQueued(status));
  return Object.fromEntries(Array.from(Map.groupBy(rows, queuedKey), ([key, group]) => [key, group.length]));
}

/** Counts, without those that are 0, as `{ "type status": count }`. */
function sumOf(rows: readonly JobCount[]): Readonly<Record<string, number>> {
  const byKey = Map.groupBy(rows, ({ typeName, status }) => `${typeName} ${status}`);
  const sums = Array.from(byKey, ([key, ofKey]) => [key, ofKey.reduce((sum, { count }) => sum + count, 0)] as const);
  return Object.fromEntries(sums.filter(([, count]) => count > 0));
}

const countedAlone: readonly (readonly JobStatus[])[] = [
  ["ready", "running"],
  ["scheduled"],
  ["waiting", "failed"],
  ["blocked"],
  ["completed", "failed", "cancelled"],
];

/** The counts and the rows must agree. */
export async function countsAgree(fixture: StateFixture): Promise<void> {
  const found: Record<string, number> = {};
  for (const { typeName, status } of await jobs(fixture)) {
    const key = `${typeName} ${status}`;
    found[key] = (found[key] ?? 0) + 1;
  }
  equal("the counts are those of the rows", await counts(fixture), found);
  const byVersion = await queuedRows(fixture);
  equal("those by version and pool too", await queued(fixture), byVersion);
  const options = fixture.options();
  const inOneLook = await fixture.store.count({ ...options, byVersion: true });
  equal(
    "and in one look",
    Object.fromEntries(
      inOneLook
        .filter(({ status, count }) => isQueued(status) && count > 0)
        .map((row) => [queuedKey({ ...row, version: row.version ?? 1, pool: row.pool }), row.count]),
    ),
    byVersion,
  );
  equal("which has all others by type", sumOf(inOneLook), found);
  for (const some of countedAlone) {
    const ofStatuses = Object.entries(found).filter(([key]) => some.some((status) => key.endsWith(` ${status}`)));
    const alone = await fixture.store.count({ ...options, statuses: some });
    equal(`${some.join(" and ")} jobs alone`, sumOf(alone), Object.fromEntries(ofStatuses));
  }
  const stopped = ["failed", "cancelled"] as const;
  const isStopped = (row: { readonly status: string }): boolean => stopped.some((status) => status === row.status);
  equal("jobs that stopped", await jobs(fixture, { statuses: stopped }), (await jobs(fixture)).filter(isStopped));
  equal("chains that stopped", await chains(fixture, { statuses: stopped }), (await chains(fixture)).filter(isStopped));
}
