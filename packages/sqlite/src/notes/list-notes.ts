import type { LogLineRecord, MemoRecord, Noted, NotesOf, NotesQuery, NotesRecord } from "chainwright/adapter";
import { textOf } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { checkpointName } from "./rows.ts";

interface JobNotes {
  readonly seq: number;
  readonly noted: number | null;
}

interface NotedRow extends Omit<Noted, "value"> {
  /** Null: only lines were reported. */
  readonly value: string | null;
}

interface LineRow extends Omit<LogLineRecord, "data"> {
  readonly data: string | null;
}

function statementsOf({ tables: t, sql }: Store) {
  const lines = (is: "<" | ">", order: "asc" | "desc") =>
    sql<LineRow>(
      `select seq, attempt, at, level, message, data from ${t.logLine} where job = ? and seq ${is} ? order by seq ${order} limit ?`,
    );
  return {
    job: sql<JobNotes>(`select seq, noted from ${t.job} where id = ?`),
    checkpoint: sql<NotedRow>(`select value, attempt, at from ${t.memo} where job = ? and name = '${checkpointName}'`),
    memos: sql<MemoRecord>(
      `select name, value, attempt, at from ${t.memo} where job = ? and name > '${checkpointName}' order by name`,
    ),
    progress: sql<NotedRow>(`select value, attempt, at from ${t.progress} where job = ?`),
    ascending: lines(">", "asc"),
    descending: lines("<", "desc"),
  };
}

export function createListNotes(store: Store): (query: NotesQuery) => readonly (NotesRecord | undefined)[] {
  const statements = statementsOf(store);

  const linesOf = (job: number, { after }: NotesOf, { lines, order }: NotesQuery): readonly LogLineRecord[] => {
    if (lines === 0) return [];
    const rows =
      order === "ascending"
        ? statements.ascending.all(job, after ?? Number.MIN_SAFE_INTEGER, lines)
        : statements.descending.all(job, after ?? Number.MAX_SAFE_INTEGER, lines);
    return rows.map(lineRecord);
  };
  const recordOf = (item: NotesOf, query: NotesQuery): NotesRecord | undefined => {
    const { jobId } = item;
    const job = statements.job.get(jobId);
    if (job === undefined) return undefined;
    const { seq, noted } = job;
    if (noted === null) return { jobId, checkpoint: undefined, progress: undefined, memos: [], lines: [] };
    return {
      jobId,
      checkpoint: notedOf(statements.checkpoint.get(seq)),
      progress: notedOf(statements.progress.get(seq)),
      memos: query.memos === "all" ? statements.memos.all(seq).map(memoRecord) : [],
      lines: linesOf(seq, item, query),
    };
  };
  return (query) => query.items.map((item) => recordOf(item, query));
}

function notedOf(row: NotedRow | undefined): Noted | undefined {
  if (typeof row?.value !== "string") return undefined;
  const { value, attempt, at } = row;
  return { value, attempt, at };
}

function memoRecord({ name, value, attempt, at }: MemoRecord): MemoRecord {
  return { name, value, attempt, at };
}

function lineRecord({ seq, attempt, at, level, message, data }: LineRow): LogLineRecord {
  return { seq, attempt, at, level, message: textOf(message), data: data ?? undefined };
}
