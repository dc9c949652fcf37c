import type { JobQuery } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { Filter } from "./page.ts";

/** Adds the conditions of a page of a chain's steps, which are in the order of the steps and not of their ids; returns the `order by` and `limit`. */
export function createPageOfSteps({ tables: t }: Store) {
  const ofChain = (filter: Filter, { chainId, after, order }: StepQuery): void => {
    filter.and(
      `j.seq in (select seq from ${t.job} where id = ? and chain is null
           union all select s.seq from ${t.job} s where s.chain = (select seq from ${t.job} where id = ?))`,
      chainId,
      chainId,
    );
    if (after === undefined) return;
    filter.and(
      `j.step ${order === "ascending" ? ">" : "<"} (select a.step from ${t.job} a
           where a.id = ? and coalesce(a.chain, a.seq) = coalesce(j.chain, j.seq))`,
      after,
    );
  };
  /** The rows of the page are taken from the index: of a chain with ten thousand steps no others are read. */
  const onPage = (filter: Filter, { chainId, after, order, limit }: StepQuery): void => {
    const beyond =
      after === undefined
        ? ""
        : `and step ${order === "ascending" ? ">" : "<"} (select a.step from ${t.job} a
             where a.id = ? and coalesce(a.chain, a.seq) = (select seq from ${t.job} where id = ?))`;
    const values = [chainId, ...(after === undefined ? [] : [after, chainId])];
    filter.and(
      `j.seq in (select seq from (
         select seq, step from ${t.job} where id = ? and chain is null ${beyond}
         union all select seq, step from ${t.job} where chain = (select seq from ${t.job} where id = ?) ${beyond}
         order by step${order === "ascending" ? "" : " desc"} limit ?))`,
      ...values,
      ...values,
      limit,
    );
  };
  return (filter: Filter, query: StepQuery): string => {
    if (isFiltered(query)) ofChain(filter, query);
    else onPage(filter, query);
    return `order by j.step${query.order === "ascending" ? "" : " desc"} limit ?`;
  };
}

type StepQuery = JobQuery & { readonly chainId: string };

function isFiltered({ typeNames, statuses, ids, createdFrom, createdBefore, errorText }: JobQuery): boolean {
  return (typeNames ?? statuses ?? ids ?? createdFrom ?? createdBefore ?? errorText) !== undefined;
}
