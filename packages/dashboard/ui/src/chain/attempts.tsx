import { useSignal } from "@preact/signals";
import type { BatchJobView, ErrorView } from "../../../src/protocol/views.ts";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Failure } from "../components/notice.tsx";
import { Batch } from "./batch.tsx";
import { Causes } from "./causes.tsx";
import { Time } from "../components/time.tsx";
import { get } from "../data/api.ts";

interface AttemptsProps {
  readonly jobId: string;
  readonly errors: readonly ErrorView[];
}

/** Errors of attempts, newest first. Stacks are loaded on request. */
export function Attempts({ jobId, errors }: AttemptsProps) {
  const whole = useSignal<readonly ErrorView[] | undefined>(undefined);
  const batchJobs = useSignal<readonly BatchJobView[] | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  const shown = (whole.value ?? errors).toReversed();

  const load = () => {
    get("job", { id: jobId }).then(
      (response) => {
        whole.value = response.job.errors;
        batchJobs.value = response.batchJobs;
      },
      (failure: unknown) => {
        problem.value = failure;
      },
    );
  };
  const withoutStacks = whole.value === undefined && errors.every(({ stack }) => stack === undefined);

  return (
    <div class="attempts">
      <ol>
        {shown.map((error, place) => (
          <FailedAttempt
            key={`${error.attempt} ${error.at}`}
            error={error}
            isOpen={place === 0}
            batchJobs={batchJobs.value}
            onLoad={load}
          />
        ))}
      </ol>
      {withoutStacks ? (
        <Button small onClick={load}>
          Show stacks
        </Button>
      ) : null}
      {problem.value === undefined ? null : <Failure error={problem.value} />}
    </div>
  );
}

interface FailedAttemptProps {
  readonly error: ErrorView;
  readonly isOpen: boolean;
  /** Undefined: not loaded. */
  readonly batchJobs: readonly BatchJobView[] | undefined;
  readonly onLoad: () => void;
}

function FailedAttempt({ error, isOpen, batchJobs, onLoad }: FailedAttemptProps) {
  return (
    <li class="attempt">
      <div class="attempt-head">
        <strong>{error.name}</strong>
        <span class="muted">
          Attempt {error.attempt} · <Time at={error.at} /> · <code>{error.workerId}</code>
        </span>
        {error.uncounted ? <span class="muted">not counted</span> : null}
        {error.decidedByWhen ? <span class="muted">decided by retry.when</span> : null}
        <CopyButton
          label={`Copy error of attempt ${error.attempt}`}
          text={[
            `${error.name}: ${error.message}`,
            ...error.causes.map((each) => `Cause: ${each}`),
            error.stack ?? "",
          ].join("\n")}
        />
      </div>
      <p class="attempt-message">{error.message}</p>
      <Causes of={error} />
      {error.batch === undefined ? null : <Batch of={error.batch} jobs={batchJobs} onLoad={onLoad} />}
      {error.stack === undefined ? null : (
        <details open={isOpen}>
          <summary>Stack</summary>
          <pre tabIndex={0}>{error.stack}</pre>
        </details>
      )}
    </li>
  );
}
