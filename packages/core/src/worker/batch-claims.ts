import type { ClaimedJob } from "../model/record.ts";
import type { Claim, ClaimType } from "../ports/exchange.ts";
import { wantedOfBatches, type Slots } from "./held.ts";

/** What a worker claims of its types that are handled in batches. */
export interface BatchClaims {
  /** Whether there is room for jobs of a type of which more may be there than the last claim took. */
  isHungry(): boolean;
  /** Whether there is room for jobs of any of them. */
  hasRoom(): boolean;
  /** The types of a claim with the limits of those that are handled in batches. @param limit that of the others */
  typesOf(types: readonly ClaimType[], limit: number): readonly ClaimType[];
  /** Notes what a claim took. Returns whether it took as many jobs of the other types as it asked for. */
  note(claim: Claim, claimed: readonly ClaimedJob[]): boolean;
}

export function createBatchClaims(slots: Slots): BatchClaims {
  const sizes = new Map<string, number>();
  for (const { typeName, batch } of slots.processors.values())
    if (batch !== undefined) sizes.set(typeName, batch.maxSize);
  if (sizes.size === 0) return none;
  /** Those of which the last claim took as many as it asked for. */
  const filled = new Set<string>();
  const wanted = (typeName: string): number => wantedOfBatches(slots, typeName, sizes.get(typeName) ?? 0);

  return {
    isHungry: () => [...filled].some((typeName) => wanted(typeName) > 0),
    hasRoom: () => [...sizes.keys()].some((typeName) => wanted(typeName) > 0),
    typesOf: (types, limit) =>
      types.flatMap((type) => {
        if (!sizes.has(type.typeName)) return limit > 0 ? type : [];
        const own = wanted(type.typeName);
        return own > 0 ? { ...type, limit: own } : [];
      }),
    note({ types, limit }, claimed) {
      const counts = new Map<string, number>();
      let others = 0;
      for (const { typeName } of claimed) {
        if (sizes.has(typeName)) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
        else others += 1;
      }
      for (const { typeName, limit: own } of types) {
        if (own === undefined) continue;
        if ((counts.get(typeName) ?? 0) >= own) filled.add(typeName);
        else filled.delete(typeName);
      }
      return limit > 0 && others >= limit;
    },
  };
}

/** Of a worker that handles all its jobs one by one. */
const none: BatchClaims = {
  isHungry: () => false,
  hasRoom: () => false,
  typesOf: (types) => types,
  note: ({ limit }, claimed) => claimed.length >= limit,
};
