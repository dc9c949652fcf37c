/** What no open transaction can add any more. Claims begin there at the latest, and need not look at what is before. */
export interface Settled {
  /** Called with what a claim at known places found. */
  note(found: Noted): void;
  /** Where claims begin if the first row that was found is at this position. */
  beginningAt(position: number): number;
  /** From which moment on claims look for due jobs, if all that are known were due before this one. */
  dueFrom(due: number): number;
}

interface Noted {
  /** The newest position when the claim began. */
  readonly newest: number;
  /** Until when jobs that were due are ready. */
  readonly due: number;
  /** Every transaction that has written and has not ended has at least this id. */
  readonly oldestOpen: number;
  /** No transaction has this id yet. */
  readonly nextId: number;
}

/**
 * Jobs do not become visible in the order of their positions, so claims begin before the first row that was found: as far as an open
 * transaction may still add jobs, and `margin` positions more, because a transaction takes positions shortly before it has an id. A
 * claim of 500 positions more takes about 0.1 ms longer, so they begin at most `mostBehind` positions before that row. Jobs of
 * transactions that are open for longer are found by the next look from the beginning.
 */
const [margin, mostBehind] = [500, 20_000];

/** A start or a retry that commits this long after its job was due is still found at once. */
export const lateMs = 1_000;

/** The same while a transaction is open, at most. */
const mostLateMs = 60_000;

/** How many claims are remembered whose transactions are open. */
const mostNoted = 100;

export function createSettled(): Settled {
  /** The oldest first: each is settled once no transaction with an id below its `nextId` is open. */
  const open: Noted[] = [];
  let settled = { newest: 0, due: 0 };
  return {
    note: (found) => {
      const last = open.at(-1) ?? settled;
      if (found.newest - last.newest >= margin || found.due - last.due >= lateMs) open.push(found);
      if (open.length > mostNoted) open.shift();
      while (open[0] !== undefined && open[0].nextId <= found.oldestOpen) {
        settled = open[0];
        open.shift();
      }
    },
    beginningAt: (position) => Math.max(Math.min(position, settled.newest) - margin, position - mostBehind),
    dueFrom: (due) => Math.max(Math.min(due, settled.due), due - mostLateMs),
  };
}
