import type { ChainEvent, ChainwrightEvent, EventAttempt, NotificationDirection } from "../model/event.ts";
import type { EventError } from "../model/event-error.ts";

/** What is reported of an event to people. */
export interface Report {
  /** Reports of one kind share a key: those of one event, one job type, direction or chore, and one class of error. */
  readonly key: string;
  /** A sentence. */
  readonly text: string;
  readonly error: EventError | undefined;
}

/** Undefined for an event that is no failure: no event of a job that succeeds is one. */
export function reportOf(event: ChainwrightEvent): Report | undefined {
  switch (event.type) {
    case "job-retried":
    case "job-failed":
    case "lease-lost":
    case "handler-mistake":
    case "input-unreadable":
    case "outcome-held-up":
      return jobReport(event);
    case "event-loop-blocked":
      return report(
        event,
        `The event loop of worker ${event.workerId} was blocked for ${duration(event.blockedMs)}, and leases of ` +
          `${duration(event.leaseMs)} are not renewed meanwhile. Run work that computes in a thread, or raise leaseMs.`,
      );
    case "store-lost":
    case "store-read-only":
    case "store-locked":
      return report(event, `Worker ${event.workerId} ${storeTroubles[event.type]}`, { error: event.error });
    case "store-restored":
      return report(event, `Worker ${event.workerId} can use the store again.`);
    case "notifications-lost":
    case "notifications-restored":
      return notificationReport(event);
    case "upkeep-failed":
    case "upkeep-restored": {
      const how = event.type === "upkeep-failed" ? "fails" : "works again";
      const text = `The upkeep chore "${event.chore}" of worker ${event.workerId} ${how}.`;
      return report(event, text, { about: event.chore, error: "error" in event ? event.error : undefined });
    }
    case "pool-too-small":
      return report(
        event,
        `Worker ${event.workerId} has a pool of one connection: jobs whose transaction takes longer than ${event.leaseMs} ms ` +
          "lose their lease. Give the pool at least 2 connections.",
      );
    case "limit-repaired":
      return report(
        event,
        `Worker ${event.workerId} gave back the places of limits of ${event.jobs} jobs, because their rows had been deleted by hand. ` +
          "Delete chains with client.deleteChains, which gives places back at once.",
      );
    case "job-unannounced":
      return report(
        event,
        `Worker ${event.workerId} found a job of "${event.typeName}" after ${duration(event.waitedMs)}, because no wake-up announced it. ` +
          "Give the client that starts such jobs the same notify adapter as the worker's.",
        { about: event.typeName },
      );
    default:
      return undefined;
  }
}

const storeTroubles = {
  "store-lost": "cannot use the store, and continues to try.",
  "store-read-only": "waits, because the store accepts no writes.",
  "store-locked": "waits, because its calls wait too long for locks.",
} as const;

type JobFailure = Extract<
  ChainEvent,
  {
    readonly type:
      | "job-retried"
      | "job-failed"
      | "lease-lost"
      | "handler-mistake"
      | "input-unreadable"
      | "outcome-held-up";
  }
>;

function jobReport(event: JobFailure): Report | undefined {
  const about = event.typeName;
  switch (event.type) {
    case "job-retried": {
      if (event.reason !== "error") return undefined;
      const text = `${attemptOf(event)} failed; the job runs again in ${duration(event.dueInMs)}${deciding(event)}.`;
      return report(event, text, { about, error: event.error });
    }
    case "job-failed": {
      const { jobId, chainId, typeName, attempt, error } = event;
      const how =
        attempt === undefined ? ", because a blocker of the job has not completed" : ` after attempt ${attempt}`;
      return report(
        event,
        `Job ${jobId} ("${typeName}") and its chain ${chainId} have failed${how}${deciding(event)}.`,
        {
          about,
          error,
        },
      );
    }
    case "lease-lost":
      // A chain that was cancelled, or a step that was ended from outside, is no failure.
      if (event.reason !== "lease-lost") return undefined;
      return report(
        event,
        `${attemptOf(event)} lost its lease, which was not renewed in time; its result is dropped.`,
        {
          about,
        },
      );
    case "handler-mistake":
      // All mistakes have one code; the message, which is the library's own, tells them apart.
      return report(event, `${attemptOf(event)} shows a mistake of its handler.`, {
        about: `${about} ${event.error.message}`,
        error: event.error,
      });
    case "input-unreadable":
      return report(event, `Job ${event.jobId} ("${about}") waits a minute, because a stored value cannot be read.`, {
        about: `${about} ${event.reason}`,
        error: event.error,
      });
    case "outcome-held-up": {
      const text = `${attemptOf(event)} has ended, and its outcome has waited for ${duration(event.waitedMs)}, because other transactions hold its rows.`;
      return report(event, text, { about });
    }
  }
}

function deciding({ decidedBy }: { readonly decidedBy?: "when" | undefined }): string {
  return decidedBy === "when" ? ", as retry.when decided" : "";
}

const notifications: Readonly<Record<NotificationDirection, readonly [what: string, how: string]>> = {
  listening: ["Notifications of other processes", "received"],
  publishing: ["Notifications for other processes", "sent"],
};

function notificationReport(
  event: Extract<ChainwrightEvent, { readonly type: "notifications-lost" | "notifications-restored" }>,
): Report {
  const { direction: about } = event;
  const [what, how] = notifications[about];
  if (event.type === "notifications-restored") return report(event, `${what} are ${how} again.`, { about });
  const text = `${what} cannot be ${how}; jobs are found by polling meanwhile.`;
  const forGood = event.forGood ? " Only a new client of the broker restores them." : "";
  return report(event, text + forGood, { about, error: event.error });
}

function report(
  { type }: ChainwrightEvent,
  text: string,
  { about = "", error }: { readonly about?: string; readonly error?: EventError | undefined } = {},
): Report {
  return { key: `${type} ${about} ${error?.name ?? ""} ${error?.code ?? ""}`, text, error };
}

function attemptOf({ jobId, typeName, attempt }: EventAttempt): string {
  return `Attempt ${attempt} of job ${jobId} ("${typeName}")`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
