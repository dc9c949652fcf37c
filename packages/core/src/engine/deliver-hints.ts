import type { Clock } from "../ports/clock.ts";
import type { Hint, NotifyAdapter } from "../ports/notify.ts";
import type { EventListener } from "./events.ts";
import { hintsOf, mergeHints } from "./hints.ts";
import { createPatience } from "./patience.ts";

/** A broker that takes longer has lost the message, or there is nobody at the other end. */
const publishLimitMs = 10_000;
/** Hints kept while a message is under way; what is beyond that may be lost like any other. */
const mostWaiting = 20_000;

export interface HintDelivery {
  readonly listener: EventListener;
  /** Sends hints that follow from no event. */
  readonly tell: (hints: readonly Hint[]) => void;
  idle(): Promise<void>;
}

/**
 * A listener that turns events into hints and sends them. What gathers while a message is under way goes into the next one.
 * A message that cannot be sent is dropped: whoever would have come looks by itself before long.
 */
export function hintDelivery(notify: NotifyAdapter, clock: Clock): HintDelivery {
  const patience = createPatience(clock, { limitMs: publishLimitMs, who: "the notify adapter" });
  let waiting: Hint[] = [];
  let sending: Promise<void> | undefined;

  const send = async (): Promise<void> => {
    await Promise.resolve();
    while (waiting.length > 0) {
      const hints = mergeHints(waiting);
      waiting = [];
      await patience(async () => await notify.publish(hints)).catch(() => undefined);
    }
    sending = undefined;
  };

  const tell = (hints: readonly Hint[]): void => {
    if (hints.length === 0) return;
    for (const hint of hints) waiting.push(hint);
    if (waiting.length > mostWaiting) waiting = mergeHints(waiting).slice(-mostWaiting / 2);
    sending ??= send();
  };

  return {
    listener: (events) => tell(hintsOf(events)),
    tell,
    idle: () => sending ?? Promise.resolve(),
  };
}
