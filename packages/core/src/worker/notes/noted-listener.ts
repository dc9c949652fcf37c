import type { Engine } from "../../engine/engine.ts";
import type { NoteItem } from "../../ports/note.ts";

type NotedEngine = Pick<Engine, "hub" | "watchedJobs" | "observed" | "events">;

/** Called with what a call has written: those that watch the jobs hear of it, and observers. */
export function notedListener({ hub, watchedJobs, observed, events }: NotedEngine, workerId: string) {
  return (items: readonly NoteItem[], durationMs: number): void => {
    hub.send(watchedJobs.hintsAbout(items.map(({ target }) => target.jobId)));
    if (!observed) return;
    let [memos, checkpoints, reports] = [0, 0, 0];
    for (const item of items) {
      memos += item.memos?.length ?? 0;
      if (item.checkpoint !== undefined) checkpoints += 1;
      if (item.progress !== undefined || item.lines !== undefined) reports += 1;
    }
    events.record([{ type: "notes-written", workerId, memos, checkpoints, reports, durationMs }], undefined);
  };
}
