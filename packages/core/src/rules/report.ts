import type { Reports } from "../model/note.ts";
import type { Handle, Rows } from "./rows.ts";

/** Writes what no one waits for. The attempt holds its job. */
export function report<Job extends Handle, Chain extends Handle>(
  { notes }: Rows<Job, Chain>,
  job: Job,
  { reports: { attempt, progress, lines }, now }: { readonly reports: Reports; readonly now: number },
): void {
  const by = { attempt, at: now };
  if (progress !== undefined) notes.setProgress(job, progress, by);
  if (lines !== undefined && lines.length > 0) notes.addLines(job, lines, by);
}
