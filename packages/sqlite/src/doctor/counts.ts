import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { JobStatus } from "chainwright";
import type { InspectReply, RepairOutcome, StoreFault } from "chainwright/adapter";
import type { SqliteDatabase } from "../driver.ts";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";

/** Rows that are counted in one turn of the event loop: some milliseconds. */
const pageSize = 10_000;
const endedStatuses: readonly EndedStatus[] = ["completed", "failed", "cancelled"];

/** What the counts need: a snapshot that does not change while others write, and a call of the writer. */
export interface CountAccess {
  /** Runs in a read transaction on a separate connection, or in one call of the writer if there is none. */
  snapshot<T>(run: SnapshotRun<T>): Promise<T>;
  write<T>(run: (store: Store) => T): Promise<T>;
}

export type SnapshotRun<T> = (store: Store, pause: () => Promise<void> | undefined) => Promise<T> | T;

export async function compareCounts(access: CountAccess, timeMs: number): Promise<InspectReply> {
  const faults = await differences(access, Date.now() + timeMs);
  return { faults: faults ?? [], next: undefined, isCut: faults === undefined };
}

/**
 * Counts again and adds the difference to each wrong counter, which stays correct when other jobs end at the same time. Only one
 * repair runs at a time, because two would correct a counter twice.
 */
export async function correctCounts(
  access: CountAccess,
  faults: readonly StoreFault[],
  timeMs: number,
): Promise<readonly RepairOutcome[]> {
  const name = randomUUID();
  const until = Date.now() + timeMs;
  if (!(await access.write((store) => takeTurn(store, name, until)))) return faults.map(() => "busy");
  const now = await differences(access, until);
  return access.write((store) => {
    if (!endTurn(store, name)) return faults.map((): RepairOutcome => "busy");
    if (now === undefined) return faults.map((): RepairOutcome => "left");
    return faults.map(({ typeName = "", id }): RepairOutcome => {
      const difference = now.find((each) => each.typeName === typeName && each.id === id);
      if (difference === undefined) return "gone";
      const status = endedStatuses.find((each) => each === id);
      if (status !== undefined) store.tally.add(typeName, status, difference.actual - difference.counted);
      return "repaired";
    });
  });
}

type CountFault = StoreFault & Record<"counted" | "actual", number>;

/** Undefined if there was not enough time. */
function differences(access: CountAccess, until: number): Promise<CountFault[] | undefined> {
  return access.snapshot(async (store, pause) => {
    const { tables: t } = store;
    const tallied = store.sql<Cell>(`select type_name, status, count from ${t.tally}`);
    const page = store.sql<{ readonly last: number; readonly looked: number }>(
      `select max(seq) as last, count(*) as looked from (select seq from ${t.job} where seq > ? order by seq limit ?)`,
    );
    const cells = store.sql<Cell>(
      `select type_name, status, count(*) as count from ${t.job} where seq > ? and seq <= ? group by type_name, status`,
    );
    const actual = new Map<string, number>();
    for (let after = -1, looked = pageSize; looked === pageSize;) {
      const found = page.get(after, pageSize);
      looked = found?.looked ?? 0;
      const last = looked === 0 ? after : (found?.last ?? after);
      for (const cell of cells.all(after, last)) add(actual, cell);
      after = last;
      if (Date.now() > until) return undefined;
      const paused = pause();
      if (paused !== undefined) await paused;
    }
    const counted = new Map<string, number>();
    for (const cell of tallied.all()) add(counted, cell);
    return [...new Set([...counted.keys(), ...actual.keys()])]
      .map((cell) => faultOf(cell, counted.get(cell) ?? 0, actual.get(cell) ?? 0))
      .filter((fault) => fault.counted !== fault.actual);
  });
}

interface Cell {
  readonly type_name: string;
  readonly status: JobStatus | "open";
  readonly count: number;
}

function add(counts: Map<string, number>, { type_name: typeName, status, count }: Cell): void {
  if (!endedStatuses.some((ended) => ended === status)) return;
  const key = `${status} ${typeName}`;
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function faultOf(cell: string, counted: number, actual: number): CountFault {
  const end = cell.indexOf(" ");
  return { kind: "wrong-count", id: cell.slice(0, end), typeName: cell.slice(end + 1), counted, actual };
}

function takeTurn({ tables: t, sql }: Store, name: string, until: number): boolean {
  const taken = sql(
    `insert into ${t.meta} (key, value) values ('doctor', ?)
     on conflict (key) do update set value = excluded.value where cast(value as integer) < ?`,
  );
  return Number(taken.run(`${until} ${name}`, Date.now()).changes) > 0;
}

function endTurn({ tables: t, sql }: Store, name: string): boolean {
  const own = sql(`delete from ${t.meta} where key = 'doctor' and value like ?`);
  return Number(own.run(`% ${name}`).changes) > 0;
}

/** A snapshot on a separate connection, which is closed at its end. */
export async function onSnapshot<T>(
  database: SqliteDatabase<object>,
  run: (pause: () => Promise<void>) => Promise<T> | T,
): Promise<T> {
  database.exec("begin");
  try {
    return await run(() => setImmediate());
  } finally {
    if (database.inTransaction) database.exec("commit");
    database.close();
  }
}
