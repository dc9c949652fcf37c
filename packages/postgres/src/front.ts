import type { Claim } from "chainwright";
import type { Place } from "./facts.ts";

/** Where claims look from, so that they need not pass by again and again what nobody can take. */
export interface Front {
  look(claim: Claim): Look;
}

export interface Look {
  /** The parameter `p_front` of `claim_v1`: null to look from the beginning. */
  readonly from: string | null;
  /** Told what the claim found. */
  found(places: readonly Place[]): void;
  /** With `from`: milliseconds until somebody looks from the beginning again. */
  readonly nextInMs: number | undefined;
}

/**
 * A look from the beginning is repeated after at least a second, and so seldom that it takes at most a twentieth of the time:
 * jobs that come back to places before the front (after a retry, from a worker that died, from a transaction that took
 * long) wait that long at most. Where no claim has to pass by much, all look from the beginning.
 */
const [leastPauseMs, mostPauseMs, pauseFactor] = [1_000, 30_000, 20];

export function createFront(): Front {
  let first: Map<string, Place> | undefined;
  let until = 0;
  return {
    look: (claim) => {
      const began = performance.now();
      const known = first !== undefined && began < until ? first : undefined;
      return {
        from: known === undefined ? null : frontOf(known, claim),
        nextInMs: known === undefined ? undefined : until - began,
        found: (places) => {
          if (known !== undefined) {
            for (const place of places) known.set(keyOf(place), place);
            return;
          }
          const tookMs = performance.now() - began;
          first = places.length === 0 ? undefined : new Map(places.map((place) => [keyOf(place), place]));
          until = began + tookMs + Math.min(mostPauseMs, Math.max(leastPauseMs, pauseFactor * tookMs));
        },
      };
    },
  };
}

function keyOf([rank, typeName]: Place): string {
  return `${rank} ${typeName}`;
}

/** Types that had no rows come from the least of all positions on: whatever begins now comes after that. */
function frontOf(first: ReadonlyMap<string, Place>, { types }: Claim): string {
  const places = [...first.values()];
  const from = Math.min(...places.map(([, , position]) => position));
  const ranks: Record<string, number[]> = {};
  for (const [rank] of places) {
    ranks[rank] ??= types.map(({ typeName }) => first.get(keyOf([rank, typeName, 0]))?.[2] ?? from);
  }
  return JSON.stringify({ from, ranks });
}
