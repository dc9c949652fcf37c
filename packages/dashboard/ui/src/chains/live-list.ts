import { useSignal } from "@preact/signals";
import type { ChainsResponse } from "../../../src/protocol/reads.ts";
import type { ProgressView } from "../../../src/protocol/progress.ts";
import type { ChainRowView } from "../../../src/protocol/views.ts";
import { get, type Query } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource, type Resource } from "../data/resource.ts";

/** A page of chains whose rows do not move while their states change. */
export interface LiveList extends Resource<ChainsResponse> {
  /** The current state of a row; `undefined` once deleted. */
  readonly rowOf: (shown: ChainRowView) => ChainRowView | undefined;
  /** A newer report of a job than that of its row. */
  readonly progressOf: (jobId: string) => ProgressView | undefined;
  /** The number of newer chains that the page does not show. */
  readonly newer: number;
}

interface Change {
  readonly rows: ReadonlyMap<string, ChainRowView>;
  readonly newer: number;
}

export function useLiveList(key: string, query: Query): LiveList {
  const page = useResource(key, (signal) => get("chains", query, signal));
  const shown = page.data.value?.items ?? [];
  const ids = shown.map(({ id }) => id);

  // Two bounded requests: the current state of the shown rows and, on the first page, newer chains.
  const look = async (signal: AbortSignal): Promise<Change> => {
    const newestFirst = query["order"] !== "oldest" && query["cursor"] === undefined;
    const [current, first] = await Promise.all([
      ids.length === 0 ? undefined : get("chains", { id: ids, limit: "100" }, signal),
      newestFirst ? get("chains", query, signal) : undefined,
    ]);
    const known = new Set(ids);
    return {
      rows: new Map(current?.items.map((chain) => [chain.id, chain])),
      newer: first?.items.filter(({ id }) => !known.has(id)).length ?? 0,
    };
  };
  const change = useResource(`${key} ${ids.join(" ")}`, look, "when refreshed");
  const seen = change.data.value;
  const reports = useSignal<Readonly<Record<string, ProgressView>>>({});
  const reporting = shown.flatMap((chain) => {
    const current = (seen?.rows.get(chain.id) ?? chain).current;
    return current?.progress === undefined ? [] : [current.id];
  });
  useLive({
    jobs: reporting,
    onProgress: (progress) => {
      reports.value = { ...reports.value, ...progress };
    },
    onChanged: () => (page.data.value === undefined ? undefined : change.refresh()),
  });

  return {
    ...page,
    progressOf: (jobId) => reports.value[jobId],
    newer: seen?.newer ?? 0,
    rowOf: (chain) => (seen === undefined ? chain : seen.rows.get(chain.id)),
  };
}
