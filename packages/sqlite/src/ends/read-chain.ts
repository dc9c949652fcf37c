import type { ChainStatus } from "chainwright";
import type { ChainRecord, FollowUpKind, FollowUpRecord } from "chainwright/adapter";
import { chainRecord, type ChainRow } from "../result-rows.ts";
import { ending, following, has } from "../rows/extras.ts";
import type { Store } from "../store.ts";

interface FollowUpRow {
  readonly id: string;
  readonly type_name: string;
  readonly kind: FollowUpKind;
  readonly chain_status: ChainStatus;
}

/** Makes the record of a chain, and reads what followed it and its deadline if it has any. */
export function createReadChain({ tables: t, sql }: Store): (row: ChainRow) => ChainRecord {
  const followUps = sql<FollowUpRow>(
    `select c.id, c.type_name, f.kind, c.chain_status from ${t.followUp} f cross join ${t.job} c on c.id = f.chain_id and c.chain is null
     where f.chain = ? order by f.position`,
  );
  const deadline = sql<{ at: number }>(`select at from ${t.deadline} where chain = ?`);
  const followed = sql<{ id: string }>(
    `select c.id from ${t.followUp} f cross join ${t.job} c on c.seq = f.chain where f.chain_id = ?`,
  );
  return (row) => {
    const record = chainRecord(row);
    const chain = has(row.extras, following) ? { ...record, follows: followed.get(row.id)?.id } : record;
    if (!has(row.extras, ending)) return chain;
    const found = followUps.all(row.seq);
    return {
      ...chain,
      followUps: found.length === 0 ? undefined : found.map(followUpRecord),
      deadlineAt: chain.status === "active" ? deadline.get(row.seq)?.at : undefined,
    };
  };
}

function followUpRecord({ id, type_name: typeName, kind, chain_status: status }: FollowUpRow): FollowUpRecord {
  return { chainId: id, typeName, kind, status };
}
