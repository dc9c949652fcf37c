import type { BatchJobView, BatchView } from "../../../src/protocol/views.ts";
import { Button } from "../components/button.tsx";
import { StatusBadge } from "../components/status.tsx";
import { counted } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

interface BatchProps {
  readonly of: BatchView;
  /** Undefined: not loaded. */
  readonly jobs: readonly BatchJobView[] | undefined;
  readonly onLoad: () => void;
}

/** The call of the handler that an attempt shared with other jobs, and what became of these. */
export function Batch({ of: batch, jobs, onLoad }: BatchProps) {
  const { size, others } = batch;
  return (
    <div class="attempt-batch">
      <p class="muted">
        {sentenceOf(batch)}{" "}
        {size > 1 && jobs === undefined ? (
          <Button small onClick={onLoad}>
            Show its other jobs
          </Button>
        ) : null}
      </p>
      {size > 1 && jobs !== undefined ? <Others ids={others} of={size - 1} jobs={jobs} /> : null}
    </div>
  );
}

function Others({ ids, of, jobs }: { ids: readonly string[]; of: number; jobs: readonly BatchJobView[] }) {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  return (
    <>
      {ids.length < of ? (
        <p class="muted">
          The next {ids.length} of the {of} others:
        </p>
      ) : null}
      <ul class="batch-jobs" aria-label="Other jobs of the batch">
        {ids.map((id) => (
          <li key={id}>
            <OfBatch id={id} job={byId.get(id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function OfBatch({ id, job }: { id: string; job: BatchJobView | undefined }) {
  if (job === undefined)
    return (
      <>
        <code>{id}</code> <span class="muted">deleted</span>
      </>
    );
  return (
    <>
      <StatusBadge status={job.status} />{" "}
      <Link href={chainHref(job.chainId)}>
        <code>{id}</code>
      </Link>{" "}
      <span class="muted">{counted(job.attempt, "attempt")}</span>
    </>
  );
}

function sentenceOf({ size, halvings }: BatchView): string {
  const halved = halvings === 0 ? "" : ` after ${counted(halvings, "halving")}`;
  return size === 1 ? `Alone in its batch${halved}.` : `In a batch of ${size}${halved}.`;
}
