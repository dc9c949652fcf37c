import type { ErasedClient } from "chainwright/adapter";
import { progressView } from "../progress-view.ts";
import type { ProgressView } from "../protocol/progress.ts";
import type { Redaction } from "../redaction.ts";
import type { LatestNotes } from "./latest-notes.ts";

/** A page that shows how far jobs are. */
export interface FollowsProgress {
  readonly jobs: readonly string[];
  /** What its reader may see. */
  readonly redaction: Redaction;
  /** The moment of the report of each job that it was told last. */
  readonly seen: Map<string, number>;
}

/** Jobs that are followed in each turn. */
const mostFollowed = 500;

/** What each page has not been told yet: two reads for all pages, and none while no page follows a job. */
export async function progressReports<Page extends FollowsProgress>(
  client: ErasedClient,
  latestNotes: LatestNotes,
  pages: readonly Page[],
): Promise<readonly (readonly [Page, Readonly<Record<string, ProgressView>>])[]> {
  const ids = [...new Set(pages.flatMap(({ jobs }) => jobs))].slice(0, mostFollowed);
  if (ids.length === 0) return [];
  const { items } = await client.listJobs({ ids, limit: ids.length, mostPayloadBytes: 0 });
  const notes = await latestNotes(items);
  const owners = new Map(items.map((job) => [job.id as string, job]));
  return pages.flatMap((page) => {
    const news = page.jobs.flatMap((id) => {
      const owner = owners.get(id);
      const progress = notes.get(id)?.progress;
      if (owner === undefined || progress === undefined || page.seen.get(id) === progress.at.getTime()) return [];
      page.seen.set(id, progress.at.getTime());
      return [[id, progressView(progress, owner, page.redaction)] as const];
    });
    return news.length === 0 ? [] : [[page, Object.fromEntries(news)] as const];
  });
}
