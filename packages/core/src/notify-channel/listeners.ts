import type { HintListener, HintMessage } from "../ports/notify.ts";

/** The listeners of this process. */
export interface Listeners {
  readonly callEach: (call: (listener: HintListener) => void) => void;
  readonly hear: (message: HintMessage) => void;
  /** Returns a function that removes the listener and reports whether it was still there. */
  readonly add: (listener: HintListener) => () => boolean;
}

export function createListeners(): Listeners {
  // The keys are subscriptions, because one listener may subscribe twice.
  const all = new Map<symbol, HintListener>();
  const callEach = (call: (listener: HintListener) => void): void => {
    for (const listener of all.values()) {
      try {
        call(listener);
      } catch {
        // A hint may be lost, but one listener's error must not affect other listeners or the publisher.
      }
    }
  };
  return {
    callEach,
    hear(message) {
      callEach((listener) => listener.onMessage(message));
    },
    add(listener) {
      const subscription = Symbol("subscription");
      all.set(subscription, listener);
      return () => all.delete(subscription);
    },
  };
}
