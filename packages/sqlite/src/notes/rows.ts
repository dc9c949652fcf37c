import { mostLogLines, type LogLine, type NotedBy, type NoteRows } from "chainwright/adapter";
import type { JobRow } from "../rows/job-row.ts";
import type { Store } from "../store.ts";
import { createNoteTriggers } from "./triggers.ts";

/** The name under which the table of memos has the checkpoint. */
export const checkpointName = "";

function noteStatementsOf({ tables: t, sql }: Store) {
  return {
    remember: sql(`update ${t.job} set noted = 1 where seq = ? and noted is not 1`),
    report: sql(`update ${t.job} set noted = 0 where seq = ? and noted is null`),
    addMemo: sql(
      `insert into ${t.memo} (job, name, value, attempt, at) values (?, ?, ?, ?, ?) on conflict (job, name) do nothing`,
    ),
    memo: sql<{ value: string }>(`select value from ${t.memo} where job = ? and name = ?`),
    setCheckpoint: sql(
      `insert into ${t.memo} (job, name, value, attempt, at) values (?, '${checkpointName}', ?, ?, ?)
       on conflict (job, name) do update set value = excluded.value, attempt = excluded.attempt, at = excluded.at`,
    ),
    setProgress: sql(
      `insert into ${t.progress} (job, value, attempt, at, lines) values (?, ?, ?, ?, 0)
       on conflict (job) do update set value = excluded.value, attempt = excluded.attempt, at = excluded.at`,
    ),
    addLine: sql(
      `insert into ${t.logLine} (job, seq, attempt, at, level, message, data) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (job, seq) do nothing`,
    ),
    countLines: sql(
      `insert into ${t.progress} (job, lines) values (?, ?) on conflict (job) do update set lines = excluded.lines`,
    ),
    lines: sql<{ lines: number }>(`select lines from ${t.progress} where job = ?`),
    dropOldest: sql(
      `delete from ${t.logLine} where job = ? and seq in (
         select seq from ${t.logLine} where job = ? order by seq limit ?)`,
    ),
  };
}

/** What attempts note about their jobs. */
export function createNoteRows(store: Store): NoteRows<JobRow> {
  const statements = noteStatementsOf(store);
  const prepareNotes = createNoteTriggers(store);
  const changed = ({ changes }: { readonly changes: number | bigint }): boolean => Number(changes) > 0;

  const remember = (job: number): void => {
    prepareNotes();
    statements.remember.run(job);
  };
  const report = (job: number): void => {
    prepareNotes();
    statements.report.run(job);
  };

  const addLine = (job: number, line: LogLine, { attempt }: NotedBy): boolean => {
    const { seq, at, level, message, data } = line;
    return changed(statements.addLine.run(job, seq, attempt, at, level, JSON.stringify(message), data ?? null));
  };

  return {
    addMemo: ({ seq }, { name, value }, { attempt, at }) => {
      remember(seq);
      if (changed(statements.addMemo.run(seq, name, value, attempt, at))) return undefined;
      return statements.memo.get(seq, name)?.value;
    },
    setCheckpoint: ({ seq }, value, { attempt, at }) => {
      remember(seq);
      statements.setCheckpoint.run(seq, value, attempt, at);
    },
    setProgress: ({ seq }, value, { attempt, at }) => {
      report(seq);
      statements.setProgress.run(seq, value, attempt, at);
    },
    addLines: ({ seq }, lines, by) => {
      report(seq);
      // The number is on record, so that no call has to count them.
      const before = statements.lines.get(seq)?.lines ?? 0;
      const added = lines.filter((line) => addLine(seq, line, by)).length;
      if (added === 0) return;
      statements.countLines.run(seq, Math.min(mostLogLines, before + added));
      const tooMany = before + added - mostLogLines;
      if (tooMany > 0) statements.dropOldest.run(seq, seq, tooMany);
    },
  };
}
