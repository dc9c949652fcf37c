import type { RecurringView } from "../../../src/protocol/schedules.ts";
import { Time } from "../components/time.tsx";

/** Whether a schedule is paused, since when, and why if it paused itself. */
export function PausedMark({ of: { paused, pausedAt, pausedReason } }: { readonly of: RecurringView }) {
  if (!paused) return null;
  return (
    <span class="schedule-paused">
      Paused {pausedAt === undefined ? null : <Time at={pausedAt} />}
      {pausedReason === undefined ? null : `: ${pausedReason}`}
    </span>
  );
}
