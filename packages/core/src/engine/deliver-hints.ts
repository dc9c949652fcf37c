import type { Hint, NotifyAdapter } from "../ports/notify.ts";
import type { EventListener } from "./events.ts";
import { hintsOf, mergeHints } from "./hints.ts";

/**
 * A listener that turns events into hints and sends them. What gathers while a message is under way goes into the next one.
 * A message that cannot be sent is dropped: whoever would have come looks by itself before long.
 */
export function hintDelivery(notify: NotifyAdapter): { readonly listener: EventListener; idle(): Promise<void> } {
  let waiting: Hint[] = [];
  let sending: Promise<void> | undefined;

  const send = async (): Promise<void> => {
    await Promise.resolve();
    while (waiting.length > 0) {
      const hints = mergeHints(waiting);
      waiting = [];
      await notify.publish(hints).catch(() => undefined);
    }
    sending = undefined;
  };

  return {
    listener(events) {
      const hints = hintsOf(events);
      if (hints.length === 0) return;
      waiting.push(...hints);
      sending ??= send();
    },
    idle: () => sending ?? Promise.resolve(),
  };
}
