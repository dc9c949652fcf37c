import type { PageQuery } from "../../ports/query.ts";
import { pageSorted } from "../sorted-rows.ts";
import type { Store } from "../store.ts";

export function reach(store: Store, query: PageQuery): string | undefined {
  return pageSorted(store.jobsById, query, () => true)[query.limit - 1]?.id;
}
