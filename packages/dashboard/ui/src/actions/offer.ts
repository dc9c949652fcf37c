import { signal } from "@preact/signals";
import type { Action } from "../../../src/protocol/actions.ts";

/** An action that somebody chose and has not confirmed yet. */
export interface ActionOffer {
  readonly action: Action;
  /** Chains; jobs to trigger. */
  readonly ids: readonly string[];
  /** The type of step where all of these chains stopped, if there is but one: then its input can be edited. */
  readonly editFor?: string | undefined;
  readonly onDone: () => void;
}

export const offered = signal<ActionOffer | undefined>(undefined);

interface ActionWords {
  readonly verb: string;
  readonly past: string;
  readonly noun: string;
  readonly danger: boolean;
  /** What it means, in a sentence. */
  readonly meaning: string;
}

export const wordsFor: Readonly<Record<Action, ActionWords>> = {
  retry: {
    verb: "Retry",
    past: "Retried",
    noun: "chain",
    danger: false,
    meaning:
      "Goes on from the step where it stopped, with fresh attempts. What failed because of it waits for it again.",
  },
  trigger: {
    verb: "Run now",
    past: "Triggered",
    noun: "job",
    danger: false,
    meaning: "Becomes ready now instead of when it is due.",
  },
  cancel: {
    verb: "Cancel",
    past: "Cancelled",
    noun: "chain",
    danger: true,
    meaning:
      "Ends the chain. A running attempt is told to stop, and what waits for the chain fails with it unless it was told to wait.",
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    noun: "chain",
    danger: true,
    meaning: "Removes the chain with its steps, inputs, outputs and errors. This cannot be undone.",
  },
};
