import type { Store } from "../store.ts";

/*
 * What few chains have, as bits in one column of a chain's first job: a chain without any of it is read and ended without a statement
 * that asks for it.
 */

/** A row in the table `ending`. */
export const ending = 1;
/** Signals. */
export const signalled = 2;

/** A row about it in the table of follow-ups: it was started because another chain stopped. */
export const following = 4;

type Extra = typeof ending | typeof signalled | typeof following;

export function has(extras: number | null, extra: Extra): boolean {
  return extras !== null && (extras & extra) !== 0;
}

interface Handle {
  readonly seq: number;
  readonly extras: number | null;
}

interface Extras {
  /** Notes that a chain, by its number, has one. */
  add(chain: number, extra: Extra): void;
  /** Remembers what another statement has noted. */
  remember(chain: number, extra: Extra): void;
  /** Whether a chain may have one: its handle may have been read before it was noted. One that was rolled back since costs a read. */
  mayHave(chain: Handle, extra: Extra): boolean;
  /** Whether it is noted that a chain has one. */
  isNoted(chain: Handle, extra: Extra): boolean;
}

/** What this connection has noted last: this much is remembered. */
const most = 10_000;

interface Noted {
  readonly extras: number;
  /** Of these, what has not been undone as long as the store is unbroken since. */
  readonly latest: number;
  readonly unbroken: number;
}

const ofStores = new WeakMap<Store, Extras>();

/** The same for all operations of a connection. */
export function extrasIn(store: Store): Extras {
  const known = ofStores.get(store) ?? createExtras(store);
  ofStores.set(store, known);
  return known;
}

function createExtras(store: Store): Extras {
  const note = store.sql(`update ${store.tables.job} set extras = coalesce(extras, 0) | ? where seq = ?`);
  const noted = new Map<number, Noted>();
  const remember = (chain: number, extra: Extra): void => {
    const { unbroken } = store;
    const before = noted.get(chain);
    noted.delete(chain);
    const latest = (before?.unbroken === unbroken ? before.latest : 0) | extra;
    noted.set(chain, { extras: (before?.extras ?? 0) | extra, latest, unbroken });
    const [oldest] = noted.keys();
    if (noted.size > most && oldest !== undefined) noted.delete(oldest);
  };
  return {
    add: (chain, extra) => {
      note.run(extra, chain);
      remember(chain, extra);
    },
    remember,
    mayHave: ({ seq, extras }, extra) => has(extras, extra) || has(noted.get(seq)?.extras ?? null, extra),
    isNoted: ({ seq, extras }, extra) => {
      if (has(extras, extra)) return true;
      const own = noted.get(seq);
      return own?.unbroken === store.unbroken && has(own.latest, extra);
    },
  };
}
