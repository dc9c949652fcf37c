import { ChainwrightError } from "../model/error.ts";
import type { HintListener, NotifyAdapter } from "../ports/notify.ts";

/**
 * Carries hints between clients and workers of one process.
 *
 * @example
 * const notifyAdapter = createInProcessNotifyAdapter();
 * const client = createClient({ stateAdapter, notifyAdapter, jobTypes });
 */
export function createInProcessNotifyAdapter(): NotifyAdapter & AsyncDisposable {
  // By subscription, for one listener may subscribe twice.
  const listeners = new Map<symbol, HintListener>();
  let closed = false;

  const close = async (): Promise<void> => {
    closed = true;
    listeners.clear();
  };

  function assertOpen(): void {
    if (closed) throw new ChainwrightError("closed", "the notify adapter has been closed");
  }

  return {
    async publish(hints) {
      assertOpen();
      if (hints.length === 0 || listeners.size === 0) return;
      // Later, as from another process: whoever publishes is not in the middle of what a listener does.
      queueMicrotask(() => {
        for (const listener of listeners.values()) {
          try {
            listener.onHints(hints);
          } catch {
            // A hint may be lost; a listener's fault is not its neighbour's, nor the publisher's.
          }
        }
      });
    },
    async subscribe(listener) {
      assertOpen();
      const subscription = Symbol("subscription");
      listeners.set(subscription, listener);
      return {
        async close() {
          listeners.delete(subscription);
        },
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
