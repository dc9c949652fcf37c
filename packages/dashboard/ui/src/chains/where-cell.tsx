import type { ProgressView } from "../../../src/protocol/progress.ts";
import type { ChainRowView } from "../../../src/protocol/views.ts";
import { ProgressBar } from "../components/progress-bar.tsx";
import { Time } from "../components/time.tsx";

interface WhereProps {
  readonly chain: ChainRowView;
  /** A newer report than that of the row. */
  readonly progress: ProgressView | undefined;
}

/** Where a chain is: its step, and the most useful line about it, which is why it stopped, how far it is, or what it works on. */
export function Where({ chain, progress }: WhereProps) {
  const { current } = chain;
  if (current === undefined) return null;
  const { typeName, step, attempt, pool, dueAt, status } = current;
  return (
    <div class="where">
      <span class="where-step">
        <span class="where-type">{typeName}</span>
        <span class="muted">
          step {step}
          {attempt > 1 ? `, attempt ${attempt}` : ""}
          {pool === undefined ? "" : `, pool ${pool}`}
          {dueAt !== undefined && (status === "scheduled" || status === "waiting") ? (
            <>
              , {status === "scheduled" ? "due" : "waits until"} <Time at={dueAt} />
            </>
          ) : null}
        </span>
      </span>
      <Line chain={chain} progress={progress ?? current.progress} />
    </div>
  );
}

function Line({ chain: { id, error, reason, current }, progress }: WhereProps) {
  if (error !== undefined) {
    return (
      <span class="row-error" title={[error.message, ...error.causes].join("\n")}>
        <strong>{error.name}</strong> {error.message}
      </span>
    );
  }
  if (reason !== undefined) return <span class="muted row-error">{reason}</span>;
  if (progress !== undefined && current?.status === "running")
    return <ProgressBar of={progress} label={`Progress of ${id}`} />;
  return (
    <span class="muted where-line" title={current?.inputLine}>
      {current?.inputLine}
    </span>
  );
}
