import { isChainwrightError } from "../model/error.ts";
import type { ChainwrightEvent, NotificationDirection } from "../model/event.ts";
import { describeError } from "../checks/describe-error.ts";

/**
 * Whether wake-ups pass in one direction. `lost`: not at the moment, and it is tried again. `lost-for-good`: the broker's client
 * has given up or was closed, and only a new one helps.
 *
 * @example
 * const isWell = (status: NotificationStatus) => status === "ok";
 * const { notifications } = worker.health();
 * if (notifications !== undefined && !isWell(notifications.listening)) console.warn("wake-ups do not arrive");
 */
export type NotificationStatus = "ok" | "lost" | "lost-for-good";

/**
 * Whether wake-ups of other processes arrive here, and whether this process can send its own. While either is not `ok`, workers
 * look for jobs at least once a second.
 *
 * @example
 * const report = ({ listening, publishing }: NotificationHealth) => `in: ${listening}, out: ${publishing}`;
 * const { notifications } = worker.health();
 * if (notifications !== undefined) console.log(report(notifications));
 * if (notifications?.publishing === "lost-for-good") console.error("other processes find jobs of this one by polling");
 */
export interface NotificationHealth {
  readonly listening: NotificationStatus;
  readonly publishing: NotificationStatus;
}

/** Whether hints pass to and from other processes. Records one event for each change. */
export interface NotificationState {
  readonly health: NotificationHealth;
  /** Whether wake-ups pass in both directions. */
  readonly isWell: boolean;
  lost(direction: NotificationDirection, error: unknown): void;
  restored(direction: NotificationDirection): void;
}

/** @param onLost called when wake-ups begin to be lost in one direction */
export function createNotificationState(
  record: (events: readonly ChainwrightEvent[]) => void,
  onLost: () => void,
): NotificationState {
  const health: Record<NotificationDirection, NotificationStatus> = { listening: "ok", publishing: "ok" };
  return {
    health,
    get isWell() {
      return health.listening === "ok" && health.publishing === "ok";
    },
    lost(direction, error) {
      const before = health[direction];
      const forGood = isForGood(error);
      const now = forGood ? "lost-for-good" : "lost";
      if (before === now || before === "lost-for-good") return;
      health[direction] = now;
      record([{ type: "notifications-lost", direction, forGood, error: describeError(error) }]);
      if (before === "ok") onLost();
    },
    restored(direction) {
      if (health[direction] === "ok") return;
      health[direction] = "ok";
      record([{ type: "notifications-restored", direction }]);
    },
  };
}

/** Whether an error of a notify adapter means that no later try can succeed. */
export function isForGood(error: unknown): boolean {
  return isChainwrightError(error, "closed");
}
