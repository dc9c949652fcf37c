import type { JobNotes } from "chainwright";
import type { DashboardClock } from "../clock.ts";
import type { ErasedClient } from "chainwright/adapter";
import type { AnyJob } from "../views.ts";

/** What jobs have noted last, by the ids of the jobs that have noted something. */
export type LatestNotes = (jobs: readonly AnyJob[]) => Promise<ReadonlyMap<string, JobNotes>>;

/** A type of which no job had noted anything is looked at again after this time. */
const silentMs = 10_000;
const nothing: ReadonlyMap<string, JobNotes> = new Map();

/**
 * Creates the read of what running jobs note: one call for all jobs of a page. Most types note nothing, which is remembered: a page of their jobs
 * costs nothing.
 */
export function createLatestNotes(client: ErasedClient, clock: DashboardClock): LatestNotes {
  const silentUntil = new Map<string, number>();
  return async (jobs) => {
    const now = clock.now();
    const mayNote = jobs.filter(
      ({ typeName, status, attempt, endedAt }) =>
        endedAt === undefined && (status === "running" || attempt > 0) && (silentUntil.get(typeName) ?? now) <= now,
    );
    if (mayNote.length === 0) return nothing;
    const items = mayNote.map(({ id }) => ({ id }));
    const found = (await client.listNotes({ items, limit: 1, order: "newest" })).filter((notes) => notes !== undefined);
    const noted = new Map(found.filter(isAny).map((notes) => [notes.id as string, notes]));
    for (const { typeName } of mayNote) silentUntil.set(typeName, now + silentMs);
    for (const { id, typeName } of mayNote) if (noted.has(id)) silentUntil.delete(typeName);
    return noted;
  };
}

function isAny({ checkpoint, progress, lines }: JobNotes): boolean {
  return checkpoint !== undefined || progress !== undefined || lines.length > 0;
}
