import type { Shared } from "./row-types.ts";

/** Most chains have none of it. */
export const noShared: Shared = {
  reason: undefined,
  deduplication: undefined,
  tags: undefined,
  dependents: undefined,
  startedFor: undefined,
  follows: undefined,
  ends: undefined,
};
