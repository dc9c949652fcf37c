import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint } from "../ports/notify.ts";
import { backoffMs } from "../model/backoff.ts";
import { createHintQueue } from "./hint-queue.ts";
import { createTimeLimit } from "../timing/time-limit.ts";

/** A broker that takes longer has lost the message, or its connection is dead. */
const publishLimitMs = 10_000;
/** How soon the broker is tried again. */
export const brokerBackoff = { initialMs: 100, multiplier: 2, maxMs: 2_000, jitter: 0.2 };

/** Sends hints to other processes. Hints that come while a message is under way go into the next one. */
export interface HintDelivery {
  send(hints: readonly Hint[]): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  close(): void;
}

export interface DeliveryOptions {
  readonly clock: Clock;
  readonly publish: (hints: readonly Hint[]) => Promise<void>;
  readonly onSent: () => void;
  readonly onFailed: (error: unknown) => void;
  /** Whether to try again after a failure without waiting for further hints. */
  readonly keepsTrying: () => boolean;
}

/** Hints that could not be sent are lost; the first message that can be sent again asks other processes to look in the store. */
export function createHintDelivery({ clock, publish, onSent, onFailed, keepsTrying }: DeliveryOptions): HintDelivery {
  const timeLimit = createTimeLimit(clock, { limitMs: publishLimitMs, who: "the notify adapter" });
  const queue = createHintQueue();
  let sending: Promise<void> | undefined;
  let retry: Timer | undefined;
  let failures = 0;
  let isClosed = false;

  const sendAll = async (): Promise<void> => {
    while (!queue.isEmpty()) {
      const hints = queue.take();
      try {
        await timeLimit(() => publish(hints));
        failures = 0;
        onSent();
      } catch (error) {
        failures += 1;
        onFailed(error);
        break;
      }
    }
    sending = undefined;
    if (failures > 0) tryLater();
  };
  const start = (): void => {
    retry?.cancel();
    retry = undefined;
    sending ??= sendAll();
  };
  const tryLater = (): void => {
    queue.noteLoss();
    if (!isClosed && keepsTrying()) retry = clock.setTimer(start, backoffMs(brokerBackoff, failures, clock.random()));
  };

  return {
    send(hints) {
      queue.add(hints);
      start();
    },
    idle: () => sending ?? Promise.resolve(),
    close() {
      isClosed = true;
      retry?.cancel();
    },
  };
}
