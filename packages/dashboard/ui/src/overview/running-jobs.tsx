import { useSignal } from "@preact/signals";
import { Failure } from "../components/notice.tsx";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

/** The jobs that a worker runs now, read when they are asked for. */
export function RunningJobs({ workerId, name }: { readonly workerId: string; readonly name: string }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="worker-jobs"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary aria-label={`Jobs that ${name} runs now`}>jobs</summary>
      {isOpen.value ? <Jobs workerId={workerId} /> : null}
    </details>
  );
}

function Jobs({ workerId }: { readonly workerId: string }) {
  const { data, error, refresh } = useResource(`jobs of ${workerId}`, (signal) =>
    get("chains", { step: "running", worker: workerId, limit: "20" }, signal),
  );
  if (error.value !== undefined) return <Failure error={error.value} onRetry={refresh} />;
  const chains = data.value?.items;
  if (chains === undefined) return <p class="muted">Loading</p>;
  if (chains.length === 0) return <p class="muted">None now.</p>;
  return (
    <ul>
      {chains.map(({ id, typeName, current }) => (
        <li key={id}>
          <Link href={chainHref(id)}>{current?.typeName ?? typeName}</Link>{" "}
          <code class="muted">{current?.id ?? id}</code>
        </li>
      ))}
      {data.value?.nextCursor === undefined ? null : <li class="muted">and more</li>}
    </ul>
  );
}
