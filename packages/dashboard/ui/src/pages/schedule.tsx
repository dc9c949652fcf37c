import { CalendarClock } from "lucide";
import type { ScheduleResponse, ScheduledView } from "../../../src/protocol/reads.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { useSelection, type Selection } from "../data/selection.ts";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { SelectAll, SelectOne } from "../components/select-box.tsx";
import { SelectionBar } from "../components/selection-bar.tsx";
import { Time } from "../components/time.tsx";
import { TypeField } from "../components/type-field.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { now } from "../data/now.ts";
import { useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { formatClock, formatDay } from "../format/moment.ts";
import { counted } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref, hrefTo, place, replaceAddress } from "../routing/place.ts";

/** Scheduled jobs, the soonest first. */
export function SchedulePage() {
  const { params } = place.value;
  const query = { typeName: params.get("typeName") ?? "", cursor: params.get("cursor") ?? undefined };
  const key = hrefTo("schedule", query);
  const { data, error, refresh } = useResource(key, (signal) => get("schedule", query, signal));
  const selection = useSelection(key);
  // Due jobs leave the list by themselves, but not while rows are selected.
  useLive({ onChanged: () => (selection.ids.value.size === 0 ? refresh() : undefined) });
  const response = data.value;

  return (
    <>
      <header class="page-head">
        <h1>Due later</h1>
        {response === undefined ? null : <span class="muted">{counted(response.total, "job")} scheduled</span>}
        <div class="page-tools">
          <TypeField value={query.typeName} onChange={(typeName) => replaceAddress(hrefTo("schedule", { typeName }))} />
        </div>
      </header>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {response === undefined ? (
        error.value === undefined ? (
          <Loading rows={8} />
        ) : null
      ) : (
        <>
          <ScheduleList response={response} selection={selection} onDone={refresh} />
          <Pager path="schedule" params={query} page={response} />
          <SelectionBar selection={selection} noun="job">
            <ActionButton
              action="trigger"
              ids={[...selection.ids.value]}
              text={`Run ${selection.ids.value.size} now`}
              onDone={() => {
                selection.set([]);
                refresh();
              }}
            />
          </SelectionBar>
        </>
      )}
    </>
  );
}

interface ScheduleListProps {
  readonly response: ScheduleResponse;
  readonly selection: Selection;
  readonly onDone: () => void;
}

function ScheduleList({ response: { items }, selection, onDone }: ScheduleListProps) {
  if (items.length === 0) {
    return (
      <Empty icon={CalendarClock} title="Nothing is scheduled">
        Jobs with a later start and jobs that wait for a retry appear here.
      </Empty>
    );
  }
  return (
    <div class="card table-box" tabIndex={0} role="region" aria-label="Due later">
      <table class="table table-schedule">
        <thead>
          <tr>
            {may("trigger") ? (
              <th class="select-cell">
                <SelectAll selection={selection} ids={items.map(({ id }) => id)} />
              </th>
            ) : null}
            <th scope="col">Due</th>
            <th scope="col" class="wide-only">
              At
            </th>
            <th scope="col">Job</th>
            <th scope="col" class="wide-only">
              Pool
            </th>
            <th scope="col" class="wide-only">
              Why
            </th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((job) => (
            <ScheduleRow key={job.id} job={job} selection={selection} onDone={onDone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ScheduleRowProps {
  readonly job: ScheduledView;
  readonly selection: Selection;
  readonly onDone: () => void;
}

function ScheduleRow({ job, selection, onDone }: ScheduleRowProps) {
  const { id, chainId, typeName, pool, dueAt, attempt, lastError } = job;
  return (
    <tr>
      {may("trigger") ? (
        <td class="select-cell">
          <SelectOne selection={selection} id={id} name="job" />
        </td>
      ) : null}
      <td class="due" data-state={dueAt <= now.value ? "blocked" : undefined}>
        <Time at={dueAt} />
      </td>
      <td class="muted nowrap wide-only">
        {formatDay(dueAt)} {formatClock(dueAt)}
      </td>
      <th scope="row">
        <Link href={chainHref(chainId)} class="type-link">
          {typeName}
        </Link>
        <code class="muted chain-id">{chainId}</code>
      </th>
      <td class="wide-only">{pool ?? <span class="zero">none</span>}</td>
      <td class="wide-only">
        {lastError === undefined ? (
          <span class="muted">Scheduled start</span>
        ) : (
          <span class="row-error" title={lastError.message}>
            After attempt {attempt}: <strong>{lastError.name}</strong> {lastError.message}
          </span>
        )}
      </td>
      <td class="row-tools">
        <ActionButton action="trigger" small ids={[id]} label={`Run now: job ${id}`} onDone={onDone} />
      </td>
    </tr>
  );
}
