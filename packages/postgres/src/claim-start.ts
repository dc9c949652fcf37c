import type { Claim } from "chainwright/adapter";

/** Remembers where claims found their first rows, so that the next ones need not skip again what no one can claim. */
export interface ClaimStart {
  /** Called before each claim. */
  prepare(claim: Claim): PreparedClaim;
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
}

/** The first row of a rank and type that a claim took. */
type FirstRow = readonly [rank: number, typeName: string, position: number];

/**
 * A claim looks from the beginning again after at least half a second, and so seldom that this takes at most a twentieth of the
 * time. Jobs that return to earlier positions (after a retry, from a worker that died, from a transaction that took long) wait that
 * long at most. As long as claims skip few rows, all of them look from the beginning.
 */
const [leastPauseMs, mostPauseMs, pauseFactor] = [500, 30_000, 20];

export function createClaimStart(): ClaimStart {
  let remembered: Remembered | undefined;
  return {
    prepare: (claim) => {
      const began = performance.now();
      const known = remembered !== undefined && began < remembered.until ? remembered : undefined;
      return {
        start: known === undefined ? null : startOf(known, claim),
        nextInMs: known === undefined ? undefined : known.until - began,
        found: (found) => {
          if (known !== undefined && (found === undefined || found.server === known.server)) {
            for (const row of found?.places ?? []) known.first.set(keyOf(row), row);
            return;
          }
          const tookMs = performance.now() - began;
          const until = began + tookMs + Math.min(mostPauseMs, Math.max(leastPauseMs, pauseFactor * tookMs));
          remembered = found && {
            server: found.server,
            first: new Map(found.places.map((each) => [keyOf(each), each])),
            until,
          };
        },
        failed: () => {
          remembered = undefined;
        },
      };
    },
  };
}

interface Remembered {
  readonly server: string;
  readonly first: Map<string, FirstRow>;
  /** When a claim looks from the beginning again. */
  readonly until: number;
}

function keyOf([rank, typeName]: FirstRow): string {
  return `${rank} ${typeName}`;
}

/** For types without a known first row, claims start at the least known position: new jobs come after it. */
function startOf({ server, first }: Remembered, { types }: Claim): string {
  const rows = [...first.values()];
  const from = Math.min(...rows.map(([, , position]) => position));
  const ranks: Record<string, number[]> = {};
  for (const [rank] of rows) {
    ranks[rank] ??= types.map(({ typeName }) => first.get(keyOf([rank, typeName, 0]))?.[2] ?? from);
  }
  return JSON.stringify({ server, from, ranks });
}
