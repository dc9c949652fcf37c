import { Repeat } from "lucide";
import type { RecurringView } from "../../../src/protocol/schedules.ts";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { Time } from "../components/time.tsx";
import { TypeField } from "../components/type-field.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { formatInZone } from "../format/moment.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo, place, replaceAddress, scheduleHref } from "../routing/place.ts";
import { PausedMark } from "../schedules/paused-mark.tsx";
import { ScheduleActions } from "../schedules/schedule-actions.tsx";
import { TickDots } from "../schedules/tick-dots.tsx";
import { timesText } from "../schedules/times.ts";

/** Recurring schedules. Jobs that are due later have a page of their own. */
export function SchedulesPage() {
  const { params } = place.value;
  const query = { typeName: params.get("typeName") ?? "", cursor: params.get("cursor") ?? undefined };
  const { data, error, refresh } = useResource(hrefTo("schedules", query), (signal) => get("schedules", query, signal));
  useLive({ onChanged: refresh });
  const response = data.value;
  return (
    <>
      <header class="page-head">
        <h1>Schedules</h1>
        <span class="muted">start chains again and again</span>
        <div class="page-tools">
          <TypeField
            value={query.typeName}
            onChange={(typeName) => replaceAddress(hrefTo("schedules", { typeName }))}
          />
        </div>
      </header>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {response === undefined ? (
        error.value === undefined ? (
          <Loading rows={8} />
        ) : null
      ) : (
        <>
          <SchedulesList items={response.items} onDone={refresh} />
          <Pager path="schedules" params={query} page={response} />
        </>
      )}
    </>
  );
}

interface SchedulesListProps {
  readonly items: readonly RecurringView[];
  readonly onDone: () => void;
}

function SchedulesList({ items, onDone }: SchedulesListProps) {
  if (items.length === 0) {
    return (
      <Empty icon={Repeat} title="There are no schedules">
        Schedules that start chains by a pattern or an interval appear here.
      </Empty>
    );
  }
  return (
    <div class="card table-box" tabIndex={0} role="region" aria-label="Schedules">
      <table class="table table-schedules">
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">Ticks</th>
            <th scope="col">Next run</th>
            <th scope="col">Last ticks</th>
            <th scope="col">Missed</th>
            <th scope="col">Skipped</th>
            <th scope="col">Owner</th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((schedule) => (
            <ScheduleLine key={schedule.id} schedule={schedule} onDone={onDone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ScheduleLineProps {
  readonly schedule: RecurringView;
  readonly onDone: () => void;
}

function ScheduleLine({ schedule, onDone }: ScheduleLineProps) {
  const { id, typeName, timeZone, owner, ticks, missedCount, skippedCount } = schedule;
  return (
    <tr>
      <th scope="row">
        <Link href={scheduleHref(id)} class="type-link">
          {id}
        </Link>
        <span class="muted schedule-type">{typeName}</span>
      </th>
      <td>
        <code>{timesText(schedule)}</code>
        {timeZone === undefined ? null : <span class="muted schedule-zone">{timeZone}</span>}
      </td>
      <td>
        <NextRun of={schedule} />
      </td>
      <td>
        <TickDots ticks={ticks} />
      </td>
      <td>{missedCount === 0 ? <span class="zero">0</span> : missedCount}</td>
      <td>{skippedCount === 0 ? <span class="zero">0</span> : skippedCount}</td>
      <td>{owner ?? <span class="zero">none</span>}</td>
      <td class="row-tools">
        <ScheduleActions schedule={schedule} onDone={onDone} />
      </td>
    </tr>
  );
}

/** In the zone of the schedule, and in UTC. */
export function NextRun({ of: schedule }: { readonly of: RecurringView }) {
  const { nextAt, timeZone = "UTC", paused } = schedule;
  if (paused) return <PausedMark of={schedule} />;
  if (nextAt === undefined) return <span class="zero">none</span>;
  return (
    <span class="next-run">
      <Time at={nextAt} />
      <span>{formatInZone(nextAt, timeZone)}</span>
      {timeZone === "UTC" ? null : <span class="muted">{formatInZone(nextAt, "UTC")}</span>}
    </span>
  );
}
