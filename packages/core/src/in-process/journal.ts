import type { Store, Undo } from "./store.ts";

/** Runs a call that may refuse half-way; after a refusal or an error, all its changes are undone. */
export function allOrNothing<Result extends { readonly ok: boolean }>(store: Store, run: () => Result): Result {
  const outer = store.journal;
  const journal: Undo[] = [];
  store.journal = journal;
  let done = false;
  try {
    const reply = run();
    done = reply.ok;
    return reply;
  } finally {
    store.journal = outer;
    if (!done) undo(store, journal);
    else if (outer !== undefined) for (const step of journal) outer.push(step);
  }
}

/** Undoes all that a journal holds, newest first. */
export function undo(store: Store, journal: Undo[]): void {
  const outer = store.journal;
  store.journal = undefined;
  for (let step = journal.pop(); step !== undefined; step = journal.pop()) step();
  store.journal = outer;
}
