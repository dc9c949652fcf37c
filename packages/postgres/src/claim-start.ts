import type { Claim } from "chainwright/adapter";

/** Remembers where claims found their first rows, so that the next ones need not skip again what no one can claim. */
export interface ClaimStart {
  /** Called before each claim. */
  prepare(claim: Claim): PreparedClaim;
  /** Called with the ids of jobs that a call of this process made ready: their positions may be before the remembered places. */
  noteReturned(jobIds: readonly string[]): void;
}

export interface PreparedClaim {
  /** The parameter `p_start` of `claim_v1`: null to look from the beginning. */
  readonly start: string | null;
  /** Called with what the claim found; undefined if it had to skip few rows. */
  found(found: ClaimFound | undefined): void;
  /** Called if the claim failed: the next one looks from the beginning, because it may reach another server. */
  failed(): void;
  /** Set if this claim does not look from the beginning: milliseconds until one does again. */
  readonly nextInMs: number | undefined;
}

/** Where a claim found its first rows. */
export interface ClaimFound {
  /** Identifies the server process: positions of one server say nothing about those of the server that replaces it. */
  readonly server: string;
  readonly places: readonly FirstRow[];
  /** The newest position of the store. */
  readonly newest: number;
  /** All jobs of the claimed types that were due before this moment are ready. */
  readonly due: number;
  /** Jobs that are ready, and perhaps before the places. */
  readonly returned: readonly string[];
}

/** The first row of a rank and type that a claim took. */
type FirstRow = readonly [rank: number, typeName: string, position: number];

/**
 * A claim looks from the beginning again after at least half a second, and so seldom that this takes at most a twentieth of the
 * time. Jobs that return to earlier positions unknown to this process (from a worker that died, from a transaction that took long,
 * by a call of another process) wait that long at most. As long as claims skip few rows, all of them look from the beginning.
 */
const [leastPauseMs, mostPauseMs, pauseFactor] = [500, 30_000, 20];

/**
 * Jobs do not become visible in the order of their positions. So claims begin this many positions before the first row that was
 * found, which costs about 0.1 ms.
 */
const margin = 500;

/** How many returned jobs one claim looks for, and how many are remembered at most. */
const [returnedPerClaim, mostReturned] = [500, 10_000];

export function createClaimStart(): ClaimStart {
  let remembered: Remembered | undefined;
  return {
    prepare: (claim) => {
      const began = performance.now();
      const known = remembered !== undefined && began < remembered.until ? remembered : undefined;
      const returned = known === undefined ? [] : [...known.returned].slice(0, returnedPerClaim);
      return {
        start: known === undefined ? null : startOf(known, claim, returned),
        nextInMs: known === undefined ? undefined : known.until - began,
        found: (found) => {
          if (known !== undefined && (found === undefined || found.server === known.server)) {
            for (const id of returned) known.returned.delete(id);
            if (found !== undefined) note(known, claim, found);
            return;
          }
          const tookMs = performance.now() - began;
          const until = began + tookMs + Math.min(mostPauseMs, Math.max(leastPauseMs, pauseFactor * tookMs));
          remembered = found && rememberAfresh(found, until, remembered);
          if (remembered !== undefined && found !== undefined) note(remembered, claim, found);
        },
        failed: () => {
          remembered = undefined;
        },
      };
    },
    noteReturned: (jobIds) => {
      if (remembered !== undefined) addReturned(remembered, jobIds);
    },
  };
}

interface Remembered {
  readonly server: string;
  /** Where types begin whose first row is not known: the claim that looked from the beginning found none of them before it. */
  readonly from: number;
  readonly first: Map<string, FirstRow>;
  /** Kept when a claim looks from the beginning, because each rank that a claim does not know costs it all rows of that rank. */
  readonly ranks: Set<number>;
  /** By type, see `ClaimFound`. */
  readonly due: Map<string, number>;
  readonly returned: Set<string>;
  /** When a claim looks from the beginning again. */
  readonly until: number;
}

function rememberAfresh(
  { server, places, newest }: ClaimFound,
  until: number,
  last: Remembered | undefined,
): Remembered {
  return {
    server,
    from: Math.min(newest, ...places.map(([, , position]) => position)),
    first: new Map(),
    ranks: last?.server === server ? last.ranks : new Set(),
    due: new Map(),
    returned: new Set(),
    until,
  };
}

function note(remembered: Remembered, { types }: Claim, found: ClaimFound): void {
  const { first, ranks, due } = remembered;
  for (const row of found.places) {
    first.set(keyOf(row), row);
    ranks.add(row[0]);
  }
  for (const { typeName } of types) due.set(typeName, found.due);
  addReturned(remembered, found.returned);
}

function addReturned({ returned }: Remembered, jobIds: readonly string[]): void {
  for (const id of jobIds.slice(0, mostReturned - returned.size)) returned.add(id);
}

function keyOf([rank, typeName]: FirstRow): string {
  return `${rank} ${typeName}`;
}

function startOf(remembered: Remembered, { types }: Claim, returned: readonly string[]): string {
  const { server, from, first, ranks, due } = remembered;
  const placesOf = (rank: number) =>
    types.map(({ typeName }) => (first.get(keyOf([rank, typeName, 0]))?.[2] ?? from) - margin);
  const dues = types.flatMap(({ typeName }) => due.get(typeName) ?? []);
  return JSON.stringify({
    server,
    from: from - margin,
    ranks: Object.fromEntries([...ranks].map((rank) => [rank, placesOf(rank)])),
    due: dues.length === types.length ? Math.min(...dues) : undefined,
    returned,
  });
}
