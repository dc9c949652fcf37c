import type { ProgressView } from "../../../src/protocol/progress.ts";

interface ProgressBarProps {
  readonly of: ProgressView;
  /** What it is the progress of, for screen readers. */
  readonly label: string;
}

/** How far a job says that it is. A report without a number is shown as its words. */
export function ProgressBar({ of: { share, text }, label }: ProgressBarProps) {
  const percent = share === undefined ? undefined : Math.floor(share * 100);
  if (percent === undefined && text === "") return null;
  return (
    <span class="progress">
      {percent === undefined ? null : (
        <>
          <span
            class="progress-track"
            role="progressbar"
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <span class="progress-fill" style={{ width: `${percent}%` }} />
          </span>
          <span class="progress-share">{percent}%</span>
        </>
      )}
      {text === "" ? null : (
        <span class="progress-text" title={text}>
          {text}
        </span>
      )}
    </span>
  );
}
