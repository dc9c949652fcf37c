import type { StepView } from "../../../src/protocol/views.ts";
import { StatusIcon } from "../components/status.tsx";
import { now } from "../data/now.ts";
import { formatDuration } from "../format/duration.ts";
import { formatClock, formatDay } from "../format/moment.ts";

interface TimelineProps {
  readonly steps: readonly StepView[];
  readonly chosen: string | undefined;
  readonly onChoose: (stepId: string) => void;
}

const dayMs = 86_400_000;
const shortMs = 60_000;

/** When each step waited and ran, and when its attempts failed, on one scale. */
export function Timeline({ steps: shown, chosen, onChoose }: TimelineProps) {
  const from = Math.min(...shown.map(({ createdAt }) => createdAt));
  const until = Math.max(from + 1, ...shown.map(endOf));
  const at = (moment: number) => `${(Math.min(Math.max((moment - from) / (until - from), 0), 1) * 100).toFixed(3)}%`;

  return (
    <div class="timeline">
      <ol>
        {shown.map((step) => (
          <li key={step.id}>
            <button
              type="button"
              class="timeline-row"
              aria-pressed={step.id === chosen}
              data-state={step.status}
              onClick={() => onChoose(step.id)}
            >
              <span class="timeline-name" title={step.typeName}>
                <StatusIcon status={step.status} />
                <span>
                  {step.step}. {step.typeName}
                </span>
              </span>
              <span class="timeline-track">
                <Bars step={step} at={at} />
              </span>
              <span class="timeline-length">
                {lengthsOf(step)}
                {step.status === "running" && step.progress?.share !== undefined
                  ? `, ${Math.floor(step.progress.share * 100)}%`
                  : ""}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <div class="timeline-axis muted" aria-hidden="true">
        {[0, 0.5, 1].map((share) => {
          const moment = from + (until - from) * share;
          return <span key={share}>{tick(from, moment, until - from)}</span>;
        })}
      </div>
    </div>
  );
}

function Bars({ step, at }: { readonly step: StepView; readonly at: (moment: number) => string }) {
  const { createdAt, startedAt, errors } = step;
  const began = startedAt ?? endOf(step);
  return (
    <>
      <span class="timeline-wait" style={{ left: at(createdAt), right: rest(at(began)) }} />
      {startedAt === undefined ? null : (
        <span class="timeline-run" style={{ left: at(startedAt), right: rest(at(endOf(step))) }} />
      )}
      {errors.map((error) => (
        <span
          key={error.attempt}
          class="timeline-error"
          style={{ left: at(error.at) }}
          title={`Attempt ${error.attempt}: ${error.message}`}
        />
      ))}
    </>
  );
}

/** Short chains show the offset from their start, because a clock time in seconds is too coarse. */
function tick(from: number, moment: number, span: number): string {
  if (span > dayMs) return `${formatDay(moment)} ${formatClock(moment)}`;
  return span > shortMs || moment === from ? formatClock(moment) : `+${formatDuration(moment - from)}`;
}

function rest(share: string): string {
  return `calc(100% - ${share})`;
}

/** The end of a step's bar: the end of the step, or now. */
function endOf(step: StepView): number {
  return step.endedAt ?? Math.max(now.value, step.startedAt ?? step.createdAt);
}

function lengthsOf(step: StepView): string {
  const { createdAt, startedAt } = step;
  const waited = formatDuration((startedAt ?? endOf(step)) - createdAt);
  if (startedAt === undefined) return `waiting ${waited}`;
  return `ran ${formatDuration(endOf(step) - startedAt)}`;
}
