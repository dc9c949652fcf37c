import type { ChainRecord, PayloadQuery } from "chainwright/adapter";
import { createReadChain } from "../ends/read-chain.ts";
import type { ChainRow } from "../result-rows.ts";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";
import { payloadColumns } from "./get-jobs.ts";

export const chainColumns = ({ mostPayloadBytes: most }: PayloadQuery = {}): string =>
  `c.seq, c.id, c.type_name, c.chain_status, ${payloadColumns("c", "input", most)}, ${payloadColumns("e", "output", most)}, e.errors, c.reason, c.key, c.tags, c.created_at, c.chain_ended_at,
  c.version, e.output_version, e.type_name as output_type_name, c.extras`;

/** Chains as {@link ChainRow}: `c` is the first job, `e` the one that ended the chain. `from` names `c`, and what it is joined with. */
export function selectChains(t: Tables, from = `${t.job} c`, payloads: PayloadQuery = {}): string {
  return `select ${chainColumns(payloads)} from ${from} left join ${t.job} e on e.seq = c.ended_job`;
}

export function createGetChains(store: Store): (ids: readonly string[]) => readonly (ChainRecord | undefined)[] {
  const byId = store.sql<ChainRow>(`${selectChains(store.tables)} where c.id = ? and c.chain is null`);
  const readChain = createReadChain(store);
  return (ids) =>
    ids.map((id) => {
      const row = byId.get(id);
      return row === undefined ? undefined : readChain(row);
    });
}
