import { signal } from "@preact/signals";
import type { Action } from "../../../src/protocol/actions.ts";

/** An action that the user has chosen and not yet confirmed. */
export interface ActionOffer {
  readonly action: Action;
  /** Ids of chains; for `trigger`, ids of jobs; for `pause` and `resume`, names of job types. */
  readonly ids: readonly string[];
  /** The type of step where these chains stopped, if it is the same for all: its input can then be edited. */
  readonly editFor?: string | undefined;
  readonly onDone: () => void;
}

export const offered = signal<ActionOffer | undefined>(undefined);

export function dismissOffer(): void {
  offered.value = undefined;
}

/** Whether a reason can be given for the action. */
export function hasReason(action: Action): boolean {
  return action === "cancel" || action === "pause";
}

interface ActionWords {
  readonly verb: string;
  readonly past: string;
  readonly noun: string;
  readonly danger: boolean;
  /** The effect of the action, for users. */
  readonly meaning: string;
}

export const wordsFor: Readonly<Record<Action, ActionWords>> = {
  retry: {
    verb: "Retry",
    past: "Retried",
    noun: "chain",
    danger: false,
    meaning:
      "The chain continues from the step where it stopped, with new attempts. Chains that failed because of it wait for it again.",
  },
  trigger: {
    verb: "Run now",
    past: "Triggered",
    noun: "job",
    danger: false,
    meaning: "The job becomes ready now instead of at its due time.",
  },
  cancel: {
    verb: "Cancel",
    past: "Cancelled",
    noun: "chain",
    danger: true,
    meaning:
      "Ends the chain and aborts its running attempt. Jobs that wait for the chain fail too, unless they were started with onBlockerFailure: wait.",
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    noun: "chain",
    danger: true,
    meaning: "Deletes the chain with its steps, inputs, outputs and errors. This cannot be undone.",
  },
  pause: {
    verb: "Pause",
    past: "Paused",
    noun: "job type",
    danger: false,
    meaning:
      "No worker begins jobs of the type until it is resumed. Attempts that run go on, and jobs keep their order.",
  },
  resume: {
    verb: "Resume",
    past: "Resumed",
    noun: "job type",
    danger: false,
    meaning: "Workers begin the jobs of the type again, at once.",
  },
};
