import type { Hint, NotifyAdapter } from "../../ports/notify.ts";

/** A process's way to the others, which a case can watch and break. */
export interface WatchedNotify {
  readonly adapter: NotifyAdapter;
  /** What was published, message by message. */
  readonly published: readonly (readonly Hint[])[];
  /** From now on messages cannot be sent. */
  mute(): void;
}

export function createWatchedNotify(real: NotifyAdapter): WatchedNotify {
  const published: (readonly Hint[])[] = [];
  let muted = false;
  return {
    published,
    mute() {
      muted = true;
    },
    adapter: {
      publish(hints) {
        published.push(hints);
        return muted ? Promise.reject(new Error("the case has cut the line")) : real.publish(hints);
      },
      subscribe: (listener) => real.subscribe(listener),
      close: () => real.close(),
    },
  };
}
