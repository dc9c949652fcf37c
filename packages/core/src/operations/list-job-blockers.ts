import { checkId, checkInteger } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { checkChainStatuses, checkLimit, checkPayloadBytes } from "./list-queries.ts";
import { listedView } from "./listed-view.ts";
import { pageOf } from "./pages.ts";
import type {
  BlockerFilter,
  ByJobId,
  InTransaction,
  Page,
  PageOptions,
  PayloadOptions,
} from "../types/list-options.ts";
import { checkJobKeys } from "./read-values.ts";
import { blockerView, type View } from "./views.ts";

export type BlockersOptions = ByJobId & BlockerFilter & PageOptions & PayloadOptions & InTransaction<unknown>;

const blockersKeys = {
  id: true,
  cursor: true,
  limit: true,
  mostPayloadBytes: true,
  blockerStatus: true,
  tx: true,
} satisfies Record<keyof BlockersOptions, true>;

/** The blockers of a job, in the order in which the job names them. */
export async function listJobBlockers(store: StoreAccess, options: BlockersOptions): Promise<Page<View>> {
  checkJobKeys(options, blockersKeys, "listJobBlockers");
  const limit = checkLimit(options.limit);
  const afterPosition =
    options.cursor === undefined ? undefined : checkInteger(Number(options.cursor), "cursor", { min: 0, max: 2 ** 31 });
  const mostPayloadBytes = checkPayloadBytes(options);
  const statuses = checkChainStatuses(options.blockerStatus, "blockerStatus");
  const query = { jobId: checkId(options.id, "id"), afterPosition, limit: limit + 1, statuses, mostPayloadBytes };
  const rows = await store.state.listBlockers(query, store.callOptions(options.tx));
  const view = listedView(store.types.versions, blockerView);
  return pageOf(rows, limit, view, (blocker) => String(blocker.position));
}

interface ManyBlockersOptions extends PayloadOptions {
  readonly ids: readonly string[];
  readonly limit: number;
}

/** The first page of the blockers of each of these jobs, in their order, in one read. */
export async function listManyBlockers(
  store: StoreAccess,
  { ids, limit, mostPayloadBytes }: ManyBlockersOptions,
): Promise<readonly Page<View>[]> {
  if (ids.length === 0) return [];
  const query = { jobId: [...new Set(ids)], afterPosition: undefined, limit: limit + 1, mostPayloadBytes };
  const rows = await store.state.listBlockers(query, store.callOptions(undefined));
  const byJob = Map.groupBy(rows, ({ jobId }) => jobId);
  const view = listedView(store.types.versions, blockerView);
  return ids.map((id) => pageOf(byJob.get(id) ?? [], limit, view, ({ position }) => String(position)));
}
