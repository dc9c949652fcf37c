import { isChainwrightError } from "chainwright";

/** The replies that callers got for the chains that they started. */
export interface Journal {
  readonly acknowledged: Set<string>;
  /** Ids whose caller got an error with an unknown outcome. */
  readonly unknown: Set<string>;
  /** When each was acknowledged, by `performance.now()`. */
  readonly acknowledgedAt: Map<string, number>;
  acknowledge(id: string): void;
  /** Records the error of a start; `id` is that of a chain started in a transaction. */
  fail(error: unknown, id: string | undefined): void;
}

export function createJournal(): Journal {
  const acknowledgedAt = new Map<string, number>();
  const [acknowledged, unknown] = [new Set<string>(), new Set<string>()];
  return {
    acknowledged,
    unknown,
    acknowledgedAt,
    acknowledge: (id) => {
      acknowledged.add(id);
      acknowledgedAt.set(id, performance.now());
    },
    fail: (error, id) => {
      if (!isChainwrightError(error, "store-unavailable") || error.details["outcome"] !== "unknown") return;
      const { ids } = error.details;
      for (const each of Array.isArray(ids) ? ids : [id]) if (typeof each === "string") unknown.add(each);
    },
  };
}
