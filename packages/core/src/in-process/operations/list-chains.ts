import type { ChainRecord } from "../../model/record.ts";
import type { ChainQuery } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { toChainRecord } from "../records.ts";
import { chainStatusOf, lastOf } from "../row-types.ts";
import type { JobRow } from "../row-types.ts";
import { pageOf, pageSorted } from "../sorted-rows.ts";
import type { Store } from "../store.ts";

export function listChains(store: Store, query: ChainQuery): readonly ChainRecord[] {
  const accept = filterOf(query);
  const rows =
    query.ids === undefined
      ? pageSorted(store.chainsById, query, accept)
      : pageOf(chainsOf(store, query.ids), query, accept);
  return rows.map(toChainRecord);
}

function filterOf({
  typeNames,
  statuses,
  createdFrom,
  createdUntil,
  errorText,
  until,
  order,
}: ChainQuery): (chain: JobRow) => boolean {
  const types = typeNames && new Set(typeNames);
  return (chain) =>
    (types === undefined || types.has(chain.lane.type.name)) &&
    (statuses === undefined || statuses.includes(chainStatusOf(chain))) &&
    (until === undefined || (order === "ascending" ? chain.id <= until : chain.id >= until)) &&
    (createdFrom === undefined || chain.createdAt >= createdFrom) &&
    (createdUntil === undefined || chain.createdAt < createdUntil) &&
    (errorText === undefined ||
      (chainStatusOf(chain) === "failed" && (lastOf(chain).errors ?? "").includes(errorText)));
}

function chainsOf(store: Store, ids: readonly string[]): JobRow[] {
  const rows = [...new Set(ids)].flatMap((id) => store.jobs.get(id) ?? nothing);
  return rows.filter((row) => row.chain === undefined);
}
