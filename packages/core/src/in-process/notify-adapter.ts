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
    portVersion: 1,
    async publish(message) {
      assertOpen();
      if (message.hints.length === 0 || listeners.size === 0) return;
      // Asynchronous, like a message from another process, so that listeners do not run inside the publisher's call.
      queueMicrotask(() => {
        for (const listener of listeners.values()) {
          try {
            listener.onMessage(message);
          } catch {
            // A hint may be lost; one listener's fault must not reach another one, nor the publisher.
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
