import type { JobQuery } from "../../src/ports/query.ts";

/** All jobs, and without `chainId` and `blockedBy` all chains: what is in a simulated store fits on one page. */
export const allRows: JobQuery = {
  after: undefined,
  limit: 100_000,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  chainId: undefined,
  blockedBy: undefined,
};
