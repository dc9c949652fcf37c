import type { LostAttemptView } from "../../../src/protocol/views.ts";
import { Time } from "../components/time.tsx";

/** Attempts that never reported a result, newest first. */
export function LostAttempts({ of }: { readonly of: readonly LostAttemptView[] }) {
  return (
    <>
      <h3 class="payload-title">Lost attempts ({of.length})</h3>
      <div class="attempts">
        <ol>
          {of.toReversed().map((lost) => (
            <LostAttempt key={lost.attempt} of={lost} />
          ))}
        </ol>
      </div>
    </>
  );
}

function LostAttempt({ of }: { readonly of: LostAttemptView }) {
  const { attempt, workerId, workerName, startedAt, leasedUntil, lastSeenAt } = of;
  return (
    <li class="attempt">
      <div class="attempt-head">
        <strong>Its worker died</strong>
        <span class="muted">
          Attempt {attempt}
          <Moment of="began" at={startedAt} />
          <Moment of="worker last seen" at={lastSeenAt} />
          <Moment of="lease until" at={leasedUntil} />
          {workerId === undefined ? null : (
            <>
              {" "}
              · {workerName} <code>{workerId}</code>
            </>
          )}
        </span>
      </div>
      <p class="attempt-message">
        It never reported a result: its worker probably died, or could not renew the lease in time.
      </p>
    </li>
  );
}

function Moment({ of, at }: { readonly of: string; readonly at: number | undefined }) {
  if (at === undefined) return null;
  return (
    <>
      {" "}
      · {of} <Time at={at} />
    </>
  );
}
