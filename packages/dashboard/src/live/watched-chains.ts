/** A page that shows chains. */
export interface OpenPage {
  /** The name of who looks. */
  readonly reader: string | undefined;
  readonly chains: readonly string[];
}

/** Chains that are looked at in each turn. A page beyond them shows what it loaded, and is told so. */
const mostWatched = 100;

/** Returns the chains to watch: readers take turns, the newest page of each first, so that one who opens many pages takes none from others. */
export function watchedChains(pages: readonly OpenPage[]): ReadonlySet<string> {
  const pagesOf = Map.groupBy(pages.toReversed(), ({ reader }) => reader);
  const queues = Array.from(pagesOf.values(), (own) => [...new Set(own.flatMap(({ chains }) => chains))]);
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  const watched = new Set<string>();
  for (let turn = 0; turn < longest && watched.size < mostWatched; turn += 1) {
    for (const queue of queues) {
      const id = queue[turn];
      if (id !== undefined && watched.size < mostWatched) watched.add(id);
    }
  }
  return watched;
}
