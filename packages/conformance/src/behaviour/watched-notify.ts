import type { Hint, HintListener, NotifyAdapter } from "chainwright/adapter";

/** The notify adapter of one process, which a case can watch and break. */
export interface WatchedNotify {
  readonly adapter: NotifyAdapter;
  /** What was published, message by message. */
  readonly published: readonly (readonly Hint[])[];
  /** How many subscriptions are open. */
  readonly subscriptions: () => number;
  /** From now on messages cannot be sent; with `false` they can again. */
  mute(isMute?: boolean): void;
  /** The subscription breaks: nothing is received until it is restored. */
  lose(error?: Error): void;
  restore(): void;
  /** Subscriptions that are opened from now on hang until `goOn` is called. */
  hang(): { goOn(): void };
}

export function createWatchedNotify(real: NotifyAdapter): WatchedNotify {
  const published: (readonly Hint[])[] = [];
  const listeners = new Set<HintListener>();
  let isMuted = false;
  let isDeaf = false;
  let opening = Promise.resolve();

  const subscribe: NotifyAdapter["subscribe"] = async (listener) => {
    await opening;
    const subscription = await real.subscribe({
      ...listener,
      onMessage(message) {
        if (!isDeaf) listener.onMessage(message);
      },
    });
    listeners.add(listener);
    return {
      async close() {
        listeners.delete(listener);
        await subscription.close();
      },
    };
  };
  return {
    published,
    subscriptions: () => listeners.size,
    mute(next = true) {
      isMuted = next;
    },
    lose(error = new Error("the case has broken the subscription")) {
      isDeaf = true;
      for (const listener of listeners) listener.onLost(error);
    },
    restore() {
      isDeaf = false;
      for (const listener of listeners) listener.onRestored();
    },
    hang() {
      const { promise, resolve } = Promise.withResolvers<void>();
      opening = promise;
      return { goOn: resolve };
    },
    adapter: {
      portVersion: real.portVersion,
      publish(message) {
        published.push(message.hints);
        return isMuted ? Promise.reject(new Error("the case has cut the line")) : real.publish(message);
      },
      subscribe,
      close: () => real.close(),
    },
  };
}
