import { arrayOf } from "../array-parameter.ts";
import type { CallOptions, LogLineRecord, MemoRecord, Noted, NotesQuery, NotesRecord } from "chainwright/adapter";
import { textOf, wholeMs } from "../rows.ts";
import type { Store } from "../store.ts";

/** What was noted about a job, as JSON: `[value, attempt, at]` of checkpoint and progress, memos with their names before, and lines. */
type StoredRecord = readonly [
  checkpoint: StoredNote | null,
  progress: StoredNote | null,
  memos: readonly (readonly [name: string, ...StoredNote])[] | null,
  lines: readonly StoredLine[] | null,
];
type StoredNote = readonly [value: string, attempt: number, at: number];
type StoredLine = readonly [
  seq: number,
  at: number,
  attempt: number,
  level: LogLineRecord["level"],
  message: string,
  data: string | null,
];

const limits = { ascending: "-9223372036854775808", descending: "9223372036854775807" } as const;

export async function listNotes<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { items, lines, order, memos }: NotesQuery,
  { tx }: CallOptions<Tx>,
): Promise<readonly (NotesRecord | undefined)[]> {
  if (items.length === 0) return [];
  const [is, direction] = order === "ascending" ? [">", "asc"] : ["<", "desc"];
  const text = `select i.n, json_build_array(
  (select json_build_array(m.value, m.attempt, ${wholeMs("m.at")}) from ${s}.memo m where m.job_id = j.id and m.name = ''),
  (select json_build_array(p.value, p.attempt, ${wholeMs("p.at")}) from ${s}.progress p where p.job_id = j.id and p.value is not null),
  (select json_agg(json_build_array(m.name, m.value, m.attempt, ${wholeMs("m.at")}) order by m.name)
   from ${s}.memo m where m.job_id = j.id and m.name > '' and $3::text = 'all'),
  (select json_agg(json_build_array(l.seq, ${wholeMs("l.at")}, l.attempt, l.level, l.message, l.data) order by l.seq ${direction}) from (
    select * from ${s}.log_line l where l.job_id = j.id and l.seq ${is} i.after order by l.seq ${direction} limit $4::text::bigint) l))::text
from unnest($1::text::uuid[], $2::text::bigint[]) with ordinality as i(id, after, n) join ${s}.job j on j.id = any(array[i.id])`;
  const afters = items.map(({ after }) => after ?? limits[order]);
  const parameters = [arrayOf(items.map(({ jobId }) => jobId)), arrayOf(afters), memos, String(lines)];
  const rows = await run(tx, { text, parameters, prepare: true });
  const records: NotesRecord[] = [];
  for (const [n, stored] of rows) {
    const at = Number(n) - 1;
    const jobId = items[at]?.jobId;
    const json = textOf(stored);
    if (jobId !== undefined && json !== undefined) records[at] = recordOf(jobId, JSON.parse(json) as StoredRecord);
  }
  return items.map((_, at) => records[at]);
}

function recordOf(jobId: string, [checkpoint, progress, memos, lines]: StoredRecord): NotesRecord {
  return {
    jobId,
    checkpoint: checkpoint === null ? undefined : notedOf(checkpoint),
    progress: progress === null ? undefined : notedOf(progress),
    memos: (memos ?? []).map(([name, ...note]): MemoRecord => ({ name, ...notedOf(note) })),
    lines: (lines ?? []).map(lineOf),
  };
}

function notedOf([value, attempt, at]: StoredNote): Noted {
  return { value, attempt, at };
}

function lineOf([seq, at, attempt, level, message, data]: StoredLine): LogLineRecord {
  return { seq, at, attempt, level, message: JSON.parse(message) as string, data: data ?? undefined };
}
