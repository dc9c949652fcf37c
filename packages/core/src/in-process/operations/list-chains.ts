import type { ChainRecord } from "../../model/record.ts";
import type { ChainQuery } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { isKey, rowsWith } from "../labels.ts";
import { omitPayloads } from "../omit-payloads.ts";
import { toChainRecord } from "../records.ts";
import { chainStatusOf, lastOf } from "../row-types.ts";
import type { JobRow } from "../row-types.ts";
import { pageOf, pageSorted } from "../sorted-rows.ts";
import type { Store } from "../store.ts";

export function listChains(store: Store, query: ChainQuery): readonly ChainRecord[] {
  const accept = filterOf(query);
  const labelled = rowsWith(store.labels, query);
  const rows =
    query.ids !== undefined
      ? pageOf(chainsOf(store, query.ids), query, accept)
      : labelled !== undefined
        ? pageSorted(labelled, query, accept)
        : pageSorted(store.chainsById, query, accept);
  return rows.map((row) => omitPayloads(toChainRecord(row), query));
}

function filterOf({
  typeNames,
  statuses,
  createdFrom,
  createdBefore,
  errorText,
  until,
  order,
  tags,
  key,
}: ChainQuery): (chain: JobRow) => boolean {
  const types = typeNames && new Set(typeNames);
  const wanted = Object.entries(tags ?? {});
  return (chain) =>
    (types === undefined || types.has(chain.lane.type.name)) &&
    (statuses === undefined || statuses.includes(chainStatusOf(chain))) &&
    wanted.every(([name, value]) => chain.shared?.tags?.[name] === value) &&
    (key === undefined || isKey(chain.shared?.deduplication?.key, key)) &&
    (until === undefined || (order === "ascending" ? chain.id <= until : chain.id >= until)) &&
    (createdFrom === undefined || chain.createdAt >= createdFrom) &&
    (createdBefore === undefined || chain.createdAt < createdBefore) &&
    (errorText === undefined ||
      (chainStatusOf(chain) === "failed" && (lastOf(chain).errors ?? "").includes(errorText)));
}

function chainsOf(store: Store, ids: readonly string[]): JobRow[] {
  const rows = [...new Set(ids)].flatMap((id) => store.jobs.get(id) ?? nothing);
  return rows.filter((row) => row.chain === undefined);
}
