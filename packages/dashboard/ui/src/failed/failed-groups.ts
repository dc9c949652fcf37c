import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FailedGroup, FailedResponse } from "../../../src/protocol/reads.ts";
import { get } from "../data/api.ts";
import type { Query } from "../data/api.ts";

/** Failures, grouped as far as they are counted. */
export interface FailedSoFar extends Omit<FailedResponse, "nextCursor"> {
  /** Whether all are counted. */
  readonly isWhole: boolean;
}

export interface FailedGroups {
  readonly data: ReadonlySignal<FailedSoFar | undefined>;
  readonly error: ReadonlySignal<unknown>;
  readonly refresh: () => void;
  /** Refreshes unless a count is under way or takes several requests. */
  readonly refreshIfQuick: () => void;
}

/** So many requests count 200,000 failures. */
const mostRequests = 200;
/** One request counts so many. */
const mostQuick = 1_000;

/** Counts whole groups: each request continues where the one before ended, and the page shows what is counted so far. */
export function useFailedGroups(key: string, queryNow: () => Query): FailedGroups {
  const groups = useMemo(() => createFailedGroups(queryNow), [key]);
  useEffect(() => {
    groups.refresh();
    return groups.stop;
  }, [groups]);
  return groups;
}

function createFailedGroups(queryNow: () => Query) {
  const data = signal<FailedSoFar | undefined>(undefined);
  const error = signal<unknown>(undefined);
  let running: AbortController | undefined;

  const count = async (mine: AbortSignal): Promise<void> => {
    const query = queryNow();
    // A count again does not make the page flicker: it is shown once it has come as far as the one before.
    const before = data.value?.looked ?? 0;
    let sum: FailedSoFar | undefined;
    let cursor: string | undefined;
    for (let request = 0; request < mostRequests; request += 1) {
      const page = await get("failed", { ...query, cursor }, mine);
      cursor = page.nextCursor;
      sum = added(sum, page);
      if (sum.isWhole || sum.looked >= before) data.value = sum;
      if (sum.isWhole) return;
    }
  };
  const refresh = () => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    count(mine.signal).then(
      () => {
        error.value = undefined;
        if (running === mine) running = undefined;
      },
      (failure: unknown) => {
        if (mine.signal.aborted) return;
        error.value = failure;
        running = undefined;
      },
    );
  };
  return {
    data,
    error,
    refresh,
    refreshIfQuick: () => {
      if (running === undefined && (data.value?.looked ?? 0) <= mostQuick) refresh();
    },
    stop: () => running?.abort(),
  };
}

function added(sum: FailedSoFar | undefined, page: FailedResponse): FailedSoFar {
  const groups = new Map(sum?.groups.map((group) => [nameOf(group), group]));
  for (const group of page.groups) groups.set(nameOf(group), together(groups.get(nameOf(group)), group));
  return {
    now: page.now,
    total: page.total,
    looked: (sum?.looked ?? 0) + page.looked,
    groupCount: Math.max(groups.size, page.groupCount),
    failureCount: (sum?.failureCount ?? 0) + page.failureCount,
    isWhole: page.nextCursor === undefined,
    groups: [...groups.values()].toSorted((one, other) => other.count - one.count || other.lastAt - one.lastAt),
  };
}

/** Names a group among those of all types. */
export function nameOf({ typeName, key }: FailedGroup): string {
  return `${typeName} ${key}`;
}

function together(one: FailedGroup | undefined, other: FailedGroup): FailedGroup {
  if (one === undefined) return other;
  return {
    ...one,
    count: one.count + other.count,
    firstAt: Math.min(one.firstAt, other.firstAt),
    lastAt: Math.max(one.lastAt, other.lastAt),
    chainIds: [...one.chainIds, ...other.chainIds].slice(0, 1_000),
  };
}
