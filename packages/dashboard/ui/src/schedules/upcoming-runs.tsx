import type { UpcomingRun } from "../../../src/protocol/schedules.ts";
import { formatInZone } from "../format/moment.ts";

interface UpcomingRunsProps {
  readonly runs: readonly UpcomingRun[];
  readonly timeZone: string | undefined;
}

const noteTexts: Readonly<Record<NonNullable<UpcomingRun["note"]>, string>> = {
  "moved out of a gap": "The clocks change: this time does not exist on this day, so it runs right after the gap.",
  "first of two": "The clocks change: this time comes twice on this day, and this is the first.",
  "second of two": "The clocks change: this time comes twice on this day, and this is the second.",
};

/** The next runs in the zone of the schedule and in UTC, with a note where the clocks change. */
export function UpcomingRuns({ runs, timeZone = "UTC" }: UpcomingRunsProps) {
  if (runs.length === 0) return <p class="muted">It does not tick again.</p>;
  return (
    <ol class="upcoming-runs" aria-label="Next runs">
      {runs.map(({ at, note }) => (
        <li key={at}>
          <time dateTime={new Date(at).toISOString()}>{formatInZone(at, timeZone)}</time>
          {timeZone === "UTC" ? null : <span class="muted">{formatInZone(at, "UTC")}</span>}
          {note === undefined ? null : <span class="clock-note">{noteTexts[note]}</span>}
        </li>
      ))}
    </ol>
  );
}
