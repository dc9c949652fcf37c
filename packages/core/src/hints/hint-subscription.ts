import { backoffMs } from "../model/backoff.ts";
import { ChainwrightError } from "../model/error.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { HintMessage, NotifyAdapter, Subscription } from "../ports/notify.ts";
import { brokerBackoff } from "./deliver-hints.ts";
import { isForGood } from "./notification-state.ts";

/** A subscription that is tried again until it is open. */
export interface HintSubscription {
  /** Resolves when messages arrive, or when opening has failed for now. */
  readonly opened: Promise<void>;
  close(): Promise<void>;
}

export interface SubscriptionOptions {
  readonly clock: Clock;
  readonly notify: NotifyAdapter;
  /** Resolves when messages can be understood. */
  readonly ready: () => Promise<unknown>;
  readonly onMessage: (message: HintMessage) => void;
  readonly onLost: (error: unknown) => void;
  /** Messages arrive from now on; earlier ones may be lost. */
  readonly onOpen: () => void;
}

/** After this time a subscription that does not open counts as lost. */
const openLimitMs = 5_000;

export function openHintSubscription(options: SubscriptionOptions): HintSubscription {
  const { clock, notify, ready, onMessage, onLost, onOpen } = options;
  const opened = Promise.withResolvers<void>();
  let subscription: Subscription | undefined;
  let timer: Timer | undefined;
  let failures = 0;
  let isClosed = false;

  const late = clock.setTimer(() => {
    if (!isClosed) onLost(tooSlow());
    opened.resolve();
  }, openLimitMs);
  const subscribe = async (): Promise<void> => {
    await ready();
    const own = await notify.subscribe({ onMessage, onLost, onRestored: onOpen });
    if (isClosed) return await own.close();
    subscription = own;
    onOpen();
  };
  const open = async (): Promise<void> => {
    try {
      await subscribe();
    } catch (error) {
      failures += 1;
      if (!isClosed) onLost(error);
      if (!isClosed && !isForGood(error))
        timer = clock.setTimer(() => void open(), backoffMs(brokerBackoff, failures, clock.random()));
    }
    late.cancel();
    opened.resolve();
  };
  void open();

  return {
    opened: opened.promise,
    async close() {
      isClosed = true;
      timer?.cancel();
      // A subscription that opens later is closed at that time: closing does not wait for a broker that hangs.
      await opened.promise;
      await subscription?.close();
    },
  };
}

function tooSlow(): ChainwrightError {
  return new ChainwrightError(
    "timeout",
    `the notify adapter has not opened its subscription within ${openLimitMs} ms; it is still being opened.`,
  );
}
