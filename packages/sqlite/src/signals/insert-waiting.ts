import type { WaitRecord } from "chainwright/adapter";
import { waitOf } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { createSignalTriggers } from "./triggers.ts";
import { storedWait, timed, untimed } from "./wait.ts";

/** The row of a job in the hot table. */
export interface WaitingRow {
  readonly seq: number;
  readonly chain: number;
  /** The claim name. */
  readonly name: string;
  readonly priority: number;
  readonly fence: number;
  /** If the wait has an end: when. */
  readonly dueAt: number;
}

interface Waiting {
  /** Notes what a new job waits for, and lets it wait. */
  begin(row: WaitingRow, wait: WaitRecord): void;
  /** Lets a job wait again for what it waited for. */
  again(row: WaitingRow): void;
}

/** Writes jobs that wait for signals. */
export function createWaiting(store: Store): Waiting {
  const { tables: t, sql } = store;
  const prepareSignals = createSignalTriggers(store);
  const setWait = sql(`update ${t.job} set waits = ? where seq = ?`);
  const stored = sql<{ waits: string }>(`select waits from ${t.job} where seq = ? and waits is not null`);
  // One under limits is in no lane: it enters it when its wait is over.
  const insertOpen = sql(
    `insert into ${t.openJob} (job, chain, type_name, priority, state, due_at, attempt, fence, waits, lane)
     values (?, ?, ?, ?, ?, ?, 0, ?, 1, (select iif(limits is null, null, 0) from ${t.job} where seq = ?))`,
  );
  const subscribe = sql(`insert into ${t.topic} (topic, job) values (?, ?) on conflict do nothing`);

  const insert = ({ seq, chain, name, priority, fence, dueAt }: WaitingRow, { until, topics }: WaitRecord): void => {
    prepareSignals();
    insertOpen.run(seq, chain, name, priority, until === undefined ? untimed : timed, dueAt, fence, seq);
    for (const topic of topics ?? []) subscribe.run(topic, seq);
  };

  return {
    begin: (row, wait) => {
      setWait.run(storedWait(wait), row.seq);
      insert(row, wait);
    },
    again: (row) => {
      const wait = stored.get(row.seq);
      if (wait !== undefined) insert(row, waitOf(wait.waits));
    },
  };
}
