import type { RecurringResponse } from "../../../src/protocol/schedules.ts";
import { Facts } from "../components/facts.tsx";
import { Failure, Loading } from "../components/notice.tsx";
import { Panel } from "../components/panel.tsx";
import { FullTime } from "../components/time.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { formatDuration } from "../format/duration.ts";
import { JsonView } from "../json/json-view.tsx";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";
import { AllScheduleActions } from "../schedules/schedule-actions.tsx";
import { TickDots } from "../schedules/tick-dots.tsx";
import { timesText } from "../schedules/times.ts";
import { UpcomingRuns } from "../schedules/upcoming-runs.tsx";
import { NextRun } from "./schedules.tsx";

/** One recurring schedule. */
export function RecurringPage({ id }: { readonly id: string }) {
  const { data, error, refresh } = useResource(`recurring ${id}`, (signal) => get("recurring", { id }, signal));
  useLive({ onChanged: refresh });
  const response = data.value;
  return (
    <>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {response !== undefined ? (
        <Details response={response} onDone={refresh} />
      ) : error.value === undefined ? (
        <Loading rows={8} />
      ) : null}
    </>
  );
}

interface DetailsProps {
  readonly response: RecurringResponse;
  readonly onDone: () => void;
}

function Details({ response: { schedule, runs, input }, onDone }: DetailsProps) {
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          <nav aria-label="Breadcrumb" class="crumbs">
            <Link href={hrefTo("schedules")}>Schedules</Link>
          </nav>
          <h1>{schedule.id}</h1>
        </div>
        <div class="page-tools">
          <AllScheduleActions schedule={schedule} onDone={onDone} />
        </div>
      </header>
      <Panel title="Schedule of chains">
        <ScheduleFacts schedule={schedule} />
      </Panel>
      <Panel title="Next runs" note={schedule.paused ? "as if it were not paused" : undefined}>
        <UpcomingRuns runs={runs} timeZone={schedule.timeZone} />
      </Panel>
      <Panel title="Last ticks" note="at most 20 of the last 14 days">
        <TickDots ticks={schedule.ticks} />
      </Panel>
      <Panel title="Input">
        {input.kind === "value" ? (
          <JsonView value={input.value} bytes={input.bytes} label="input" />
        ) : (
          <p class="muted">{input.kind === "unreadable" ? input.summary : "There is no input to show."}</p>
        )}
      </Panel>
    </>
  );
}

const missedTexts = { skip: "are left out", one: "start one chain together", all: "start a chain each" } as const;
const overlapTexts = { allow: "starts anyway", skip: "is skipped" } as const;

function ScheduleFacts({ schedule }: { readonly schedule: RecurringResponse["schedule"] }) {
  const { typeName, timeZone, owner, missed, overlap, jitterMs, pool, startAt, endAt, edited } = schedule;
  return (
    <Facts
      of={[
        ["Starts", <code>{typeName}</code>],
        ["Ticks", <code>{timesText(schedule)}</code>],
        timeZone === undefined ? undefined : ["Time zone", timeZone],
        ["Next run", <NextRun of={schedule} />],
        ["Owner", owner ?? "none"],
        ["Late ticks", `${missedTexts[missed]}; ${schedule.missedCount} missed`],
        ["Tick while the chain before is active", `${overlapTexts[overlap]}; ${schedule.skippedCount} skipped`],
        jitterMs === 0 ? undefined : ["Spread over", formatDuration(jitterMs)],
        pool === undefined ? undefined : ["Pool", pool],
        startAt === undefined ? undefined : ["From", <FullTime at={startAt} />],
        endAt === undefined ? undefined : ["Until", <FullTime at={endAt} />],
        edited.length === 0 ? undefined : ["Changed at run time", edited.join(", ")],
      ]}
    />
  );
}
