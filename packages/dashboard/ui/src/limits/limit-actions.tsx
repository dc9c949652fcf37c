import type { DeclaredLimitView, LimitKeyView } from "../../../src/protocol/limits.ts";
import { ActionButton } from "../actions/action-buttons.tsx";

interface LimitActionsProps {
  readonly of: DeclaredLimitView | LimitKeyView;
  /** As `tenant` or `tenant of acme`. */
  readonly name: string;
  readonly onDone: () => void;
}

/** The actions on a limit or on one of its keys. */
export function LimitActions({ of: info, name, onDone }: LimitActionsProps) {
  const { id, concurrency, rate, isOverridden, isPaused } = info;
  if (id === undefined) return null;
  const isClosed = "breaker" in info && info.breaker !== undefined && !isPaused;
  const offer = { ids: [id], small: true, onDone };
  return (
    <span class="limit-actions">
      <ActionButton action="change-limit" label={`Change ${name}`} allowed={{ concurrency, rate }} {...offer} />
      {isOverridden ? <ActionButton action="reset-limit" label={`Reset ${name}`} {...offer} /> : null}
      {isClosed ? <ActionButton action="resume-limit" label={`Open ${name}`} {...offer} /> : null}
      <ActionButton
        action={isPaused ? "resume-limit" : "pause-limit"}
        label={`${isPaused ? "Resume" : "Pause"} ${name}`}
        {...offer}
      />
    </span>
  );
}
