import { signal } from "@preact/signals";
import type { Action } from "../../../src/protocol/actions.ts";
import type { AllowedView } from "../../../src/protocol/limits.ts";
import type { RecurringView } from "../../../src/protocol/schedules.ts";
import type { AllItems } from "./all-items.ts";

/** An action that the user has chosen and not yet confirmed. */
export interface ActionOffer {
  readonly action: Action;
  /** Ids of chains; for `trigger`, ids of jobs; for `pause` and `resume`, names of job types; for limits and schedules, their ids. */
  readonly ids: readonly string[];
  /** The type of step where these chains stopped, if it is the same for all: its input can then be edited. */
  readonly editFor?: string | undefined;
  /** For `change-limit`: what counts now. */
  readonly allowed?: AllowedView | undefined;
  /** With `edit-schedule`: the schedule as it is shown. */
  readonly schedule?: RecurringView | undefined;
  /** With `send-signal`: the type of the step that waits. */
  readonly waitingType?: string | undefined;
  /** The action is for all of these; `ids` are the first ones, which the preview is about. */
  readonly all?: AllItems | undefined;
  readonly onDone: () => void;
}

export const offered = signal<ActionOffer | undefined>(undefined);

export function dismissOffer(): void {
  offered.value = undefined;
}

/** Whether a reason can be given for the action. */
export function hasReason(action: Action): boolean {
  return ["cancel", "pause", "change-limit", "pause-limit", "pause-schedule"].includes(action);
}

/** Whether the action takes numbers of a limit or a time. */
export function hasChange(action: Action): boolean {
  return action === "change-limit" || action === "pause-limit";
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
      "Ends the chain and the blockers that it started, and aborts their running attempts. Then what was recorded to undo it runs. Jobs that wait for the chain fail too, unless they were started with onBlockerFailure: wait.",
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    noun: "chain",
    danger: true,
    meaning: "Deletes the chain with its steps, inputs, outputs and errors. This cannot be undone.",
  },
  "send-signal": {
    verb: "Send a signal to",
    past: "Sent a signal to",
    noun: "chain",
    danger: false,
    meaning:
      "The waiting step takes the signal, and its handler decides what follows. A signal that the step does not take is kept with the chain.",
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
  "change-limit": {
    verb: "Change",
    past: "Changed",
    noun: "limit",
    danger: false,
    meaning:
      "Counts for all workers until it is reset, whatever the code says. Jobs that run are left alone: a lower limit takes effect as they end.",
  },
  "reset-limit": {
    verb: "Reset",
    past: "Reset",
    noun: "limit",
    danger: false,
    meaning: "Takes back what was changed: then the limit is again as the code says.",
  },
  "pause-limit": {
    verb: "Pause",
    past: "Paused",
    noun: "limit",
    danger: false,
    meaning: "No job under the limit begins until the pause ends. Attempts that run go on, and jobs keep their order.",
  },
  "resume-limit": {
    verb: "Resume",
    past: "Resumed",
    noun: "limit",
    danger: false,
    meaning:
      "Ends the pause, and opens what failures have closed: jobs under the limit begin again, as far as it lets them.",
  },
  "pause-schedule": {
    verb: "Pause",
    past: "Paused",
    noun: "schedule",
    danger: false,
    meaning: "The schedule starts no chains until it is resumed. Chains that it has started go on.",
  },
  "resume-schedule": {
    verb: "Resume",
    past: "Resumed",
    noun: "schedule",
    danger: false,
    meaning: "The schedule ticks again. Ticks of the pause are treated as its policy for missed ticks says.",
  },
  "trigger-schedule": {
    verb: "Run now",
    past: "Triggered",
    noun: "schedule",
    danger: false,
    meaning: "Starts a chain now, as a tick would. The ticks of the schedule stay as they are.",
  },
  "edit-schedule": {
    verb: "Edit",
    past: "Edited",
    noun: "schedule",
    danger: false,
    meaning:
      "The change counts from the next tick. It stays when the application is deployed again, until the schedule is reset.",
  },
  "reset-schedule": {
    verb: "Reset",
    past: "Reset",
    noun: "schedule",
    danger: false,
    meaning: "Drops what was changed at run time, a pause included.",
  },
  "delete-schedule": {
    verb: "Delete",
    past: "Deleted",
    noun: "schedule",
    danger: true,
    meaning:
      "Deletes the schedule. The chains of its ticks stay. If the application declares it, the next deploy creates it again.",
  },
};
