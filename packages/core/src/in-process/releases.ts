import type { JobRow, Release } from "./rows.ts";
import type { Store } from "./store.ts";

/** Undefined: no job waits for the chain. */
export function releaseOf(store: Store, chain: JobRow): Release | undefined {
  const dependents = chain.shared?.dependents;
  if (dependents === undefined || dependents.size === 0) return undefined;
  return { chain, rows: [...dependents], at: 0, since: store.sequence };
}

/** Keeps what is left of a release for a later exchange, behind all others. */
export function keepRelease(store: Store, release: Release): void {
  setRelease(store, release.chain, release);
}

/** Takes the oldest releases, as many as a number of jobs asks for. */
export function takeReleases(store: Store, jobs: number): Release[] {
  const taken: Release[] = [];
  let room = jobs;
  for (const release of store.releases.values()) {
    if (room <= 0) break;
    taken.push(release);
    room -= release.rows.length - release.at;
  }
  for (const { chain } of taken) dropRelease(store, chain);
  return taken;
}

/** The chain is active again, or gone: what it has not released yet, it does not release. */
export function dropRelease(store: Store, chain: JobRow): void {
  if (store.releases.has(chain)) setRelease(store, chain, undefined);
}

function setRelease(store: Store, chain: JobRow, release: Release | undefined): void {
  const before = store.releases.get(chain);
  put(store, chain, release);
  store.journal?.push(() => {
    put(store, chain, before);
  });
}

function put({ releases }: Store, chain: JobRow, release: Release | undefined): void {
  if (release === undefined) releases.delete(chain);
  else releases.set(chain, release);
}
