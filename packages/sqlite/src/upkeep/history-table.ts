/** The table of what workers have counted. */
export interface HistoryTable {
  readonly history: string;
}

/** Rows are written with heartbeats only, and each type has a bounded number of them. An empty type name: all types. */
export function historyTable(t: HistoryTable): string {
  return `create table ${t.history} (
  every_ms integer not null,
  at integer not null,
  type_name text not null,
  completed integer not null,
  failed integer not null,
  retried integer not null,
  longest_wait_ms real not null,
  run_times text not null, -- a JSON array of counts
  primary key (every_ms, at, type_name)
) strict, without rowid`;
}
