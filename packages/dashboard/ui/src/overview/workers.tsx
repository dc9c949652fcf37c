import { Server } from "lucide";
import type { WorkerView } from "../../../src/protocol/overview.ts";
import { Empty } from "../components/notice.tsx";
import { Time } from "../components/time.tsx";
import { RunningJobs } from "./running-jobs.tsx";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";
import { WorkerName } from "./worker-name.tsx";

/** The live workers. */
export function WorkersTable({ workers }: { readonly workers: readonly WorkerView[] }) {
  if (workers.length === 0) {
    return (
      <Empty icon={Server} title="No live worker">
        Jobs wait until a worker starts.
      </Empty>
    );
  }
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Workers">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col">Holds</th>
            <th scope="col">Types</th>
            <th scope="col">Pools</th>
            <th scope="col">Release</th>
            <th scope="col">Last seen</th>
            <th scope="col">Started</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <WorkerRow key={worker.id} worker={worker} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorkerRow({ worker }: { readonly worker: WorkerView }) {
  const { id, name, holds, concurrency, typeNames, moreTypeNames, lastSeenAt, startedAt } = worker;
  const slots = `${holds} of ${concurrency}`;
  return (
    <tr>
      <WorkerName name={name} id={id} />
      <td class="nowrap">
        <meter min={0} max={Math.max(1, concurrency)} value={holds} aria-label={`Slots in use by ${name}`} />{" "}
        {holds === 0 ? (
          slots
        ) : (
          <>
            <Link href={hrefTo("chains", { step: "running", worker: id })} label={`${slots}: what ${name} runs`}>
              {slots}
            </Link>
            <RunningJobs workerId={id} name={name} />
          </>
        )}
      </td>
      <td class="worker-types" title={typeNames.join(", ")}>
        {typeNames.slice(0, 4).join(", ")}
        {typeNames.length + moreTypeNames > 4 ? `, ${typeNames.length + moreTypeNames - 4} more` : ""}
      </td>
      <td class="worker-types">{worker.pools.map((pool) => pool ?? "no pool").join(", ")}</td>
      <td class="nowrap">{releaseOf(worker)}</td>
      <td>
        <Time at={lastSeenAt} />
      </td>
      <td>
        <Time at={startedAt} />
      </td>
    </tr>
  );
}

/** The version of the package, and the number of the application's code. */
function releaseOf({ packageVersion, codeVersion }: WorkerView): string {
  return [packageVersion ?? "unknown", ...(codeVersion === undefined ? [] : [`code ${codeVersion}`])].join(", ");
}
