import type { BlockerCounts } from "../../model/record.ts";
import type { BlockerCountQuery } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { chainStatusOf, lastOf } from "../row-types.ts";
import type { Store } from "../store.ts";

export function countBlockers({ jobs }: Store, { of, id }: BlockerCountQuery): BlockerCounts | undefined {
  const named = jobs.get(id);
  const job = of === "chain" && named !== undefined ? (named.chain === undefined ? lastOf(named) : undefined) : named;
  if (job?.status !== "blocked") return undefined;
  let [total, completed, failed] = [0, 0, 0];
  for (const chain of new Set(job.blocking?.chains ?? nothing)) {
    if (chain === undefined) continue;
    const status = chainStatusOf(chain);
    total += 1;
    if (status === "completed") completed += 1;
    else if (status !== "active") failed += 1;
  }
  return { total, completed, failed };
}
