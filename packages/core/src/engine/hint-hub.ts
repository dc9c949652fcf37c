import type { ChainwrightEvent } from "../model/event.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint, NotifyAdapter, Subscription } from "../ports/notify.ts";
import { backoffMs } from "../model/backoff.ts";
import { deferred } from "./deferred.ts";
import { eventError } from "./events.ts";

/** Hears the hints of this process's one subscription. */
export interface HubListener {
  onHints(hints: readonly Hint[]): void;
  /** Hints may have been missed: look for yourself. */
  onLook(): void;
}

/** The one subscription of a client, opened with its first listener and shared by its workers and waits. */
export interface HintHub {
  /** Resolves once hints arrive, or at once where the broker is away: it is then tried again, and a look follows. */
  listen(listener: HubListener): Promise<() => void>;
  close(): Promise<void>;
}

/** How long the first listener waits for a broker that does not answer. */
const openLimitMs = 5_000;
const reopenBackoff = { initialMs: 100, multiplier: 2, maxMs: 2_000, jitter: 0.2 };

export function createHintHub(
  notify: NotifyAdapter,
  clock: Clock,
  record: (events: readonly ChainwrightEvent[]) => void,
): HintHub {
  const listeners = new Set<HubListener>();
  let opening: Promise<void> | undefined;
  let subscription: Subscription | undefined;
  let timer: Timer | undefined;
  let failures = 0;
  let isLate = false;
  let closed = false;

  const lookEverywhere = (): void => {
    for (const listener of listeners) listener.onLook();
  };
  const lost = (error: unknown): void => record([{ type: "notifications-lost", error: eventError(error) }]);
  const restored = (): void => {
    record([{ type: "notifications-restored" }]);
    lookEverywhere();
  };

  const open = async (): Promise<void> => {
    try {
      const opened = await notify.subscribe({
        onHints: (hints) => {
          for (const listener of listeners) listener.onHints(hints);
        },
        onLost: lost,
        onRestored: restored,
      });
      if (closed) return await opened.close();
      subscription = opened;
      if (failures > 0) restored();
      else if (isLate) lookEverywhere();
    } catch (error) {
      if (closed) return;
      if (failures === 0) lost(error);
      failures += 1;
      timer = clock.setTimer(() => void open(), backoffMs(reopenBackoff, failures, clock.random()));
    }
  };

  return {
    async listen(listener) {
      listeners.add(listener);
      // What is missed until a late subscription stands is looked for then.
      opening ??= inTime(clock, open(), () => void (isLate = true));
      await opening;
      return () => void listeners.delete(listener);
    },
    async close() {
      closed = true;
      timer?.cancel();
      listeners.clear();
      await opening;
      await subscription?.close();
    },
  };
}

/** Resolves with the work, or without it once its time is over. */
async function inTime(clock: Clock, work: Promise<void>, onLate: () => void): Promise<void> {
  const { promise, resolve } = deferred<void>();
  const limit = clock.setTimer(() => {
    onLate();
    resolve();
  }, openLimitMs);
  await Promise.race([work, promise]);
  limit.cancel();
}
