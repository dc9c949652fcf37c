import type { BlockerQuery, BlockerRecord } from "chainwright/adapter";
import { createReadChain } from "../ends/read-chain.ts";
import type { ChainRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { chainColumns } from "./get-chains.ts";
import { createStatements } from "./statements.ts";

export function createListBlockers(store: Store): (query: BlockerQuery) => readonly BlockerRecord[] {
  const { tables: t } = store;
  const readChain = createReadChain(store);
  const statement = createStatements<ChainRow & { readonly position: number }>(store);
  const pageOf = (query: BlockerQuery) =>
    statement(
      `select b.position, ${chainColumns(query)}
     from ${t.blocker} b join ${t.job} c on c.seq = b.chain left join ${t.job} e on e.seq = c.ended_job
     where b.job = (select seq from ${t.job} where id = ?) and b.position > ?
       ${query.statuses === undefined ? "" : "and c.chain_status in (select value from json_each(?))"} order by b.position limit ?`,
    );
  return (query) => {
    const { jobId, afterPosition = -1, limit } = query;
    const page = pageOf(query);
    // A statement for each: a call to SQLite costs less than the plan of a page for each of several jobs.
    return [jobId]
      .flat()
      .flatMap((id) =>
        page
          .all(id, afterPosition, ...statusesOf(query), limit)
          .map((row) => ({ jobId: id, position: row.position, chain: readChain(row) })),
      );
  };
}

function statusesOf({ statuses }: BlockerQuery): readonly string[] {
  return statuses === undefined ? [] : [JSON.stringify(statuses)];
}
