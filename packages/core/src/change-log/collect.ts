import type { ChangedTable } from "../in-process/changes.ts";
import { keyParts, type Change } from "./change.ts";
import { toPlace, toState, toText, type StoredJob } from "./rows.ts";

/** What the changes of a log amount to: the last one of each row, in the order in which the rows were written last. */
export interface Collected {
  readonly jobs: Map<string, StoredJob>;
  readonly tables: Map<ChangedTable, Map<string, StoredRow>>;
}

export interface StoredRow {
  readonly key: readonly unknown[];
  readonly value: unknown;
}

export function createCollected(): Collected {
  return { jobs: new Map(), tables: new Map() };
}

export function collect(collected: Collected, change: Change): void {
  const { jobs } = collected;
  const [table] = change;
  const id = toText(change[1]);
  switch (table) {
    case "job":
      if (change.length === 2) jobs.delete(id);
      else jobs.set(id, { place: toPlace(change[2]), state: toState(change[3]) });
      return;
    case "state": {
      // A job that is missing was deleted later.
      const job = jobs.get(id);
      if (job !== undefined) job.state = toState(change[2]);
      return;
    }
    default:
      collectRow(collected, table, change);
  }
}

export function rowsOf({ tables }: Collected, table: ChangedTable): Iterable<StoredRow> {
  return tables.get(table)?.values() ?? [];
}

function collectRow({ tables }: Collected, table: ChangedTable, change: Change): void {
  const parts = keyParts[table];
  const key = change.slice(1, 1 + parts);
  const rows = tables.get(table) ?? new Map<string, StoredRow>();
  tables.set(table, rows);
  const name = JSON.stringify(key);
  // A row that is written again comes after the others.
  rows.delete(name);
  if (change.length > 1 + parts) rows.set(name, { key, value: change[1 + parts] });
}

/**
 * The changes that write what a log amounts to: the last one of each row.
 *
 * @example
 * const compacted = (log: ChangeLog) => collectChanges(log.restore());
 */
export async function collectChanges(log: AsyncIterable<readonly Change[]>): Promise<Iterable<Change>> {
  const collected = createCollected();
  for await (const changes of log) for (const change of changes) collect(collected, change);
  return changesIn(collected);
}

function* changesIn({ jobs, tables }: Collected): Generator<Change> {
  for (const [id, { place, state }] of jobs) yield ["job", id, place, state];
  for (const [table, rows] of tables) for (const { key, value } of rows.values()) yield [table, ...key, value];
}
