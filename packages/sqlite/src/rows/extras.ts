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

interface Extras {
  /** Notes that a chain, by its number, has one. */
  add(chain: number, extra: Extra): void;
  /** Whether a chain may have one: its handle may have been read before it was noted. */
  mayHave(chain: { readonly seq: number; readonly extras: number | null }, extra: Extra): boolean;
}

/** What this connection has noted last: this much is remembered. One that was rolled back since costs a read. */
const most = 10_000;

const ofStores = new WeakMap<Store, Extras>();

/** The same for all operations of a connection. */
export function extrasIn(store: Store): Extras {
  const known = ofStores.get(store) ?? createExtras(store);
  ofStores.set(store, known);
  return known;
}

function createExtras({ tables: t, sql }: Store): Extras {
  const note = sql(`update ${t.job} set extras = coalesce(extras, 0) | ? where seq = ?`);
  const noted = new Map<number, number>();
  return {
    add: (chain, extra) => {
      note.run(extra, chain);
      const before = noted.get(chain) ?? 0;
      noted.delete(chain);
      noted.set(chain, before | extra);
      const [oldest] = noted.keys();
      if (noted.size > most && oldest !== undefined) noted.delete(oldest);
    },
    mayHave: ({ seq, extras }, extra) => has(extras, extra) || has(noted.get(seq) ?? null, extra),
  };
}
