/** A job that was to write a row of the application. */
export interface WritingJob {
  readonly id: string;
  readonly status: string;
}

/**
 * What is wrong with the rows that jobs wrote in the transactions of their ends: each completed job has exactly one row, and no other
 * job has one.
 *
 * @param rows the job of each row
 */
export function judgeRows(jobs: readonly WritingJob[], rows: readonly string[]): readonly string[] {
  const written = new Map<string, number>();
  for (const id of rows) written.set(id, (written.get(id) ?? 0) + 1);
  const wrong = jobs.flatMap(({ id, status }) => {
    const [times, expected] = [written.get(id) ?? 0, status === "completed" ? 1 : 0];
    written.delete(id);
    if (status === "open") return [`${id} has not ended`];
    return times === expected ? [] : [`${status} job ${id} has ${times} rows`];
  });
  return [...wrong, ...[...written.keys()].map((id) => `there is a row of ${id}, but no such job`)];
}
