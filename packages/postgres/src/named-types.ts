import { claimName, type Claim } from "chainwright/adapter";

/** The most workers whose types are remembered. */
const mostWorkers = 1_000;

/** Remembers which types the claims of each worker name. */
export function createNamedTypes() {
  const named = new Map<string, ReadonlySet<string>>();
  return {
    /** Whether a claim names a type that the last one of the same worker did not. */
    hasReturned({ workerId, types }: Claim): boolean {
      const before = named.get(workerId);
      const isLike = before?.size === types.length && types.every((type) => before.has(claimName(type)));
      if (isLike) return false;
      if (named.size >= mostWorkers) named.clear();
      named.set(workerId, new Set(types.map(claimName)));
      return before !== undefined && types.some((type) => !before.has(claimName(type)));
    },
  };
}
