import type { Claim } from "chainwright/adapter";
import type { Found, Place } from "./result-rows.ts";

/** Where claims look from, so that they need not pass by again and again what nobody can take. */
export interface Front {
  look(claim: Claim): Look;
}

export interface Look {
  /** The parameter `p_start` of `claim_v1`: null to look from the beginning. */
  readonly from: string | null;
  /** Told what the claim found; undefined: it had to pass by little. */
  found(found: Found | undefined): void;
  /** Told that the claim failed: whoever claims next looks from the beginning, perhaps on another server. */
  failed(): void;
  /** With `from`: milliseconds until somebody looks from the beginning again. */
  readonly nextInMs: number | undefined;
}

/**
 * A look from the beginning is repeated after at least half a second, and so seldom that it takes at most a twentieth of the time:
 * jobs that come back to places before the front (after a retry, from a worker that died, from a transaction that took
 * long) wait that long at most. Where no claim has to pass by much, all look from the beginning.
 */
const [leastPauseMs, mostPauseMs, pauseFactor] = [500, 30_000, 20];

export function createFront(): Front {
  let front: Known | undefined;
  return {
    look: (claim) => {
      const began = performance.now();
      const known = front !== undefined && began < front.until ? front : undefined;
      return {
        from: known === undefined ? null : frontOf(known, claim),
        nextInMs: known === undefined ? undefined : known.until - began,
        found: (found) => {
          if (known !== undefined && (found === undefined || found.server === known.server)) {
            for (const place of found?.places ?? []) known.first.set(keyOf(place), place);
            return;
          }
          const tookMs = performance.now() - began;
          const until = began + tookMs + Math.min(mostPauseMs, Math.max(leastPauseMs, pauseFactor * tookMs));
          front = found && {
            server: found.server,
            first: new Map(found.places.map((each) => [keyOf(each), each])),
            until,
          };
        },
        failed: () => {
          front = undefined;
        },
      };
    },
  };
}

interface Known {
  readonly server: string;
  readonly first: Map<string, Place>;
  /** When somebody looks from the beginning again. */
  readonly until: number;
}

function keyOf([rank, typeName]: Place): string {
  return `${rank} ${typeName}`;
}

/** Types that had no rows come from the least of all positions on: whatever begins now comes after that. */
function frontOf({ server, first }: Known, { types }: Claim): string {
  const places = [...first.values()];
  const from = Math.min(...places.map(([, , position]) => position));
  const ranks: Record<string, number[]> = {};
  for (const [rank] of places) {
    ranks[rank] ??= types.map(({ typeName }) => first.get(keyOf([rank, typeName, 0]))?.[2] ?? from);
  }
  return JSON.stringify({ server, from, ranks });
}
