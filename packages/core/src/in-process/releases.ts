import type { Dependent, EndedStatus, Waiting } from "../rules/rows.ts";
import type { JobRow, Release } from "./row-types.ts";
import { byId } from "./sorted-rows.ts";
import type { Store } from "./store.ts";

/** Looks at up to `limit` of the jobs that have ever been blocked by a chain that ends now. */
export function waitingFor(
  store: Store,
  { chain, status }: { readonly chain: JobRow; readonly status: EndedStatus },
  limit: number,
): Waiting<JobRow, JobRow> {
  const rows = [...(chain.shared?.dependents ?? [])];
  const waiting = look(store, { chain, status, rows, at: 0, since: store.sequence }, limit);
  if (waiting.isCut) store.changes?.others.push(["released", chain.id]);
  return waiting;
}

/** The same for the release that was looked at least recently. */
export function takeRelease(store: Store, limit: number): Waiting<JobRow, JobRow> | undefined {
  for (const release of store.releases.values()) {
    dropRelease(store, release.chain);
    return look(store, release, limit);
  }
  return undefined;
}

/** Stores the rest of a release, behind all others. */
export function keepRelease(store: Store, release: Release): void {
  setRelease(store, release.chain, release);
}

/** What the chain has not released yet, it does not release: it is active again, or deleted. */
export function dropRelease(store: Store, chain: JobRow): void {
  if (store.releases.has(chain)) setRelease(store, chain, undefined);
}

function look(store: Store, release: Release, limit: number): Waiting<JobRow, JobRow> {
  const { chain, status, rows, at, since } = release;
  const until = Math.min(rows.length, at + limit);
  const jobs: Dependent<JobRow>[] = [];
  for (let index = at; index < until; index += 1) {
    const row = rows[index];
    if (row?.status !== "blocked" || row.blocking === undefined || row.blocking.countedAt > since) continue;
    const { onBlockerFailure, readyAt } = row;
    jobs.push({ job: row, onBlockerFailure, blockersLeft: row.blocking.left, dueAt: readyAt });
  }
  if (jobs.length > 1) jobs.sort((left, right) => byId(left.job, right.job));
  const isCut = until < rows.length;
  if (isCut) keepRelease(store, { ...release, at: until });
  return { chain, status, jobs, looked: until - at, isCut };
}

function setRelease(store: Store, chain: JobRow, release: Release | undefined): void {
  const before = store.releases.get(chain);
  put(store, chain, release);
  store.changes?.others.push(["release", chain.id]);
  store.journal?.push(() => {
    put(store, chain, before);
  });
}

function put({ releases }: Store, chain: JobRow, release: Release | undefined): void {
  if (release === undefined) releases.delete(chain);
  else releases.set(chain, release);
}
