import { useEffect } from "preact/hooks";
import type { HeldJobView, LostWorkerView } from "../../../src/protocol/overview.ts";
import { Panel } from "../components/panel.tsx";
import { StatusBadge } from "../components/status.tsx";
import { Time } from "../components/time.tsx";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { counted, formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";
import { WorkerName } from "./worker-name.tsx";

/** Workers send a heartbeat every ten seconds. */
const everyMs = 10_000;

/** The workers that were lost within the last day, with the jobs that they held. Without one there is nothing to show. */
export function LostWorkers() {
  const { data, refresh } = useResource("lost workers", (signal) => get("lost", {}, signal));
  useEffect(() => {
    const timer = setInterval(refresh, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [refresh]);
  const lost = data.value;
  if (lost === undefined || lost.workers.length === 0) return null;
  return (
    <Panel title="Lost workers" note={`${counted(lost.workers.length + lost.more, "worker")} in the last day`} flush>
      <div class="table-box" tabIndex={0} role="region" aria-label="Lost workers">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Worker</th>
              <th scope="col">Lost since</th>
              <th scope="col">Started</th>
              <th scope="col">Held, and where these jobs are now</th>
            </tr>
          </thead>
          <tbody>
            {lost.workers.map((worker) => (
              <LostWorkerRow key={worker.id} worker={worker} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function LostWorkerRow({ worker }: { readonly worker: LostWorkerView }) {
  const { id, name, lastSeenAt, startedAt, heldCount, held } = worker;
  const more = (heldCount ?? 0) - held.length;
  return (
    <tr>
      <WorkerName name={name} id={id} />
      <td>
        <Time at={lastSeenAt} />
      </td>
      <td>
        <Time at={startedAt} />
      </td>
      <td>
        {heldCount === undefined ? <span class="muted">not known</span> : null}
        {heldCount === 0 ? <span class="muted">nothing</span> : null}
        {held.length === 0 ? null : (
          <ul class="lost-jobs">
            {held.map((job) => (
              <HeldJob key={job.id} job={job} />
            ))}
            {more > 0 ? <li class="muted">and {formatCount(more)} more</li> : null}
          </ul>
        )}
      </td>
    </tr>
  );
}

function HeldJob({ job: { id, attempt, now } }: { readonly job: HeldJobView }) {
  return (
    <li>
      {now === undefined ? (
        <span class="muted">deleted</span>
      ) : (
        <>
          <StatusBadge status={now.status} /> <Link href={chainHref(now.chainId)}>{now.typeName}</Link>
        </>
      )}{" "}
      <span class="muted">
        attempt {attempt} of <code>{id}</code>
      </span>
    </li>
  );
}
