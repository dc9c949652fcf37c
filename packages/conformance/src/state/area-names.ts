/** The areas of the state port in the order in which an author implements them. */
export const stateAreas = [
  "start and reads",
  "claim and settle",
  "continuations",
  "transactions",
  "trigger, cancel and delete",
  "fences and leases",
  "blockers",
  "deduplication",
  "retry",
  "tags and keys",
  "upkeep",
  "pauses",
  "schedules",
  "doctor",
  "awaited ends",
  "history",
  "versions and pools",
  "limits",
  "signals",
  "ends",
  "notes",
  "row locks",
] as const;

/**
 * A part of the state port. A case uses only what its area and the areas before it need, so an author implements one area after the
 * other and runs each alone.
 *
 * @example
 * const done: readonly StateArea[] = ["start and reads", "claim and settle"];
 * const createState = async () => ({ adapter: createMyStateAdapter(), close: async () => {} });
 * const cases = stateConformance({ createAdapter: createState, areas: done });
 */
export type StateArea = (typeof stateAreas)[number];
