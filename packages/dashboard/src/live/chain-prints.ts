import type { AnyClient, JobNotes } from "chainwright";
import type { AnyJob } from "../views.ts";
import type { LatestNotes } from "./latest-notes.ts";

/** A text per chain id that differs whenever the chain has changed; undefined: the chain was deleted. One read for all, whatever their number. */
export async function chainPrints(
  client: AnyClient,
  latestNotes: LatestNotes,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  if (ids.length === 0) return new Map();
  const { items } = await client.listJobs({ newestOf: ids, limit: ids.length, mostPayloadBytes: 0 });
  const notes = await latestNotes(items);
  const prints = new Map(items.map((step) => [step.chainId as string, print(step, notes.get(step.id))]));
  return new Map(ids.map((id) => [id, prints.get(id)]));
}

function print(step: AnyJob, notes: JobNotes | undefined): string {
  const { id, status, attempt, blockersLeft, scheduledAt, leasedBy } = step;
  // Moments show that something was noted: its values may be large. The cursor is the place of the newest line.
  const noted = notes && [notes.progress?.at, notes.checkpoint?.at, notes.lines[0]?.at, notes.nextCursor];
  return JSON.stringify([id, status, attempt, blockersLeft, scheduledAt, leasedBy, noted]);
}
