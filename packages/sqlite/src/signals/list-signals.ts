import type { SignalQuery, SignalRecord } from "chainwright/adapter";
import type { Store } from "../store.ts";

interface SignalRow {
  readonly position: number;
  readonly type_name: string;
  readonly name: string;
  readonly payload: string;
  readonly signal_id: string | null;
  readonly context: string | null;
  readonly at: number;
  readonly taken_by: string | null;
}

export function createListSignals({ tables: t, sql }: Store): (query: SignalQuery) => readonly SignalRecord[] {
  const page = sql<SignalRow>(
    `select s.position, s.type_name, s.name, s.payload, s.signal_id, s.context, s.at,
       (select j.id from ${t.job} j where j.seq = s.taken_by) as taken_by
     from ${t.signal} s where s.chain = (select seq from ${t.job} where id = ? and chain is null) and s.position > ?
     order by s.position limit ?`,
  );
  return ({ chainId, after, limit }) =>
    page.all(chainId, after ?? 0, limit).map((row) => ({
      chainId,
      position: row.position,
      typeName: row.type_name,
      signal: row.name,
      payload: row.payload,
      signalId: row.signal_id ?? undefined,
      context: row.context ?? undefined,
      at: row.at,
      takenBy: row.taken_by ?? undefined,
    }));
}
