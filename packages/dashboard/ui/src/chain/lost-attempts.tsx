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
  const { attempt, workerId, startedAt, leasedUntil } = of;
  return (
    <li class="attempt">
      <div class="attempt-head">
        <strong>Its worker died</strong>
        <span class="muted">
          Attempt {attempt}
          {startedAt === undefined ? null : (
            <>
              {" "}
              · began <Time at={startedAt} />
            </>
          )}
          {leasedUntil === undefined ? null : (
            <>
              {" "}
              · lease ran out <Time at={leasedUntil} />
            </>
          )}
          {workerId === undefined ? null : (
            <>
              {" "}
              · <code>{workerId}</code>
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
